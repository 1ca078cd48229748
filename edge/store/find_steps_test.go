package store

import (
	"fmt"
	"testing"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// stepping is a project whose lists are measured by the steps that Pebble takes for them, which no neighbour of a shared
// machine changes.
type stepping struct {
	*republished
	entries int
}

const steppingSchema = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text","localized":true},"kind":{"type":"text"},` +
	`"rank":{"type":"number"},"at":{"type":"datetime"},"slug":{"type":"slug"}}}`

func newStepping(t *testing.T, entries int) *stepping {
	s := &stepping{republished: newRepublishedIn(t, nil, inMemory()), entries: entries}
	s.apply(record.KindProject, &recordpb.Project{
		Id: s.feed.id, Organization: string(readtest.Organization(1)), Slug: "shop", PublicApiEnabled: true, FromRelease: 1, CursorKey: make([]byte, 32),
		Locales: []string{"en", "de"}, DefaultLocale: "en",
	})
	s.apply(record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{{
		Name: "posts", Version: 2, Label: "posts", Canonical: []byte(steppingSchema),
	}}})
	var items []*recordpb.Item
	for i := range entries {
		items = append(items, s.entry(i, i))
	}
	s.publish(items...)
	return s
}

// entry is an item whose values follow from n.
func (s *stepping) entry(i, n int) *recordpb.Item {
	title := ""
	if i%10 != 0 {
		title = fmt.Sprintf(`"de":"Titel %06d",`, n*7919%1_000_003)
	}
	return &recordpb.Item{
		Operation: recordpb.Operation_OPERATION_PUT, Entry: entryText(uint64(i)), Collection: "posts", Slug: fmt.Sprintf("post-%d", i),
		Revision: string(readtest.Revision(s.release + 1)), SchemaVersion: 2,
		Fields: fmt.Appendf(nil, `{"title":{%s"en":"title %06d"},"kind":"k%d","rank":%d,"at":"2024-01-01T%02d:%02d:%02d.%03dZ"}`,
			title, n*7919%1_000_003, n%4, n%1000, n/3600000%24, n/60000%60, n/1000%60, n%1000),
	}
}

var steppingLists = []struct {
	name, locale string
	filters      []query.Filter
	order        query.OrderBy
}{
	{"by at", "", nil, query.OrderBy{Field: "at"}},
	{"by -at", "", nil, query.OrderBy{Field: "at", Descending: true}},
	{"by title", "de", nil, query.OrderBy{Field: "title"}},
	{"by -kind", "", nil, query.OrderBy{Field: "kind", Descending: true}},
	{"kind", "", []query.Filter{{Field: "kind", Text: "k1"}}, query.OrderBy{}},
	{"kind by -rank", "", []query.Filter{{Field: "kind", Text: "k1"}}, query.OrderBy{Field: "rank", Descending: true}},
	{"not kind by at", "", []query.Filter{{Field: "kind", Op: query.OpNotEqual, Text: "k1"}}, query.OrderBy{Field: "at"}},
	{"rank", "", []query.Filter{{Field: "rank", Op: query.OpGreater, Text: "10"}, {Field: "rank", Op: query.OpLess, Text: "30"}}, query.OrderBy{}},
	{"rank by -rank", "", []query.Filter{{Field: "rank", Op: query.OpLess, Text: "900"}}, query.OrderBy{Field: "rank", Descending: true}},
}

// steps returns what every list took.
func (s *stepping) steps(pin uint64) (out []int) {
	s.t.Helper()
	for _, l := range steppingLists {
		v, err := s.s.Open(s.t.Context(), "shop")
		if err != nil {
			s.t.Fatal(err)
		}
		frame, err := v.Frame(s.t.Context(), "posts", pin)
		if err != nil {
			s.t.Fatal(err)
		}
		q := read.ListQuery{Collection: "posts", Pin: pin, Limit: 10, Frame: &frame, Locale: l.locale}
		if q.Conditions, q.Order, err = query.Bind(frame.Schema, frame.ValueLocales(), l.locale, l.filters, l.order); err != nil {
			s.t.Fatal(err)
		}
		before := 0
		for range 2 { // the first list of a field after a release reads the values that came
			before = v.(*view).r.Steps()
			page, err := v.List(s.t.Context(), q)
			if err != nil || len(page.Rows) == 0 {
				s.t.Fatal(len(page.Rows), err)
			}
		}
		out = append(out, v.(*view).r.Steps()-before)
		v.Close()
	}
	return out
}

// wantSteps compares what lists take with what they may.
func (s *stepping) wantSteps(when string, fresh []int, pin uint64, may func(fresh int) int) {
	s.t.Helper()
	for i, n := range s.steps(pin) {
		if most := may(fresh[i]); n > most {
			s.t.Errorf("%s, %s takes %d steps, %d when fresh; at most %d are allowed", when, steppingLists[i].name, n, fresh[i], most)
		}
	}
}

// What happened to entries does not slow lists that filter and order. Rows that moved or went away are passed until what they
// were written with is compacted, so what counts then is how many Pebble holds in memory, not how many there were.
func TestRepublishesAndDeletionsSlowNoFilters(t *testing.T) {
	t.Parallel()
	entries, times := 1000, 300*testrand.Scale
	same := func(fresh int) int { return fresh + fresh/10 + 20 }
	settled := func(fresh int) int { return 2*fresh + 100 }
	recent := func(fresh int) int { return fresh + 3*times } // a row, what takes it away, and a step over both
	s := newStepping(t, entries)
	fresh := s.steps(0)
	for range times {
		s.publish(s.entry(7, 7))
	}
	s.wantSteps("after republishes that change nothing", fresh, 0, same)
	for n := range times {
		s.publish(s.entry(7, n))
	}
	s.wantSteps("after republishes that change values", fresh, 0, recent)
	s.wantSteps("at a release before them", fresh, 1, settled)
	s.settle()
	s.wantSteps("when those are compacted", fresh, 0, settled)

	s = newStepping(t, entries+times)
	fresh = s.steps(0)
	var gone []*recordpb.Item
	for i := range times {
		gone = append(gone, &recordpb.Item{Operation: recordpb.Operation_OPERATION_DELETE, Entry: entryText(uint64(i)), Collection: "posts"})
	}
	for _, item := range gone[:times/2] {
		s.publish(item)
	}
	s.publish(gone[times/2:]...)
	s.wantSteps("after deletions", fresh, 0, recent)
	s.settle()
	s.wantSteps("when those are compacted", fresh, 0, settled)
}
