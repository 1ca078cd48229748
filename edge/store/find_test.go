package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"svc/edge/store/column"
	"svc/edge/store/layout"
	"svc/edge/store/load"
	"svc/edge/store/plan"
	"svc/shared/content"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/search"
	"svc/shared/testrand"
)

// TestRandomFinds publishes, deploys, reloads and builds in random order, and compares pages of lists that filter and order
// with those of the plain model: with budgets and chunks so small that every way to a page is taken.
func TestRandomFinds(t *testing.T) {
	t.Parallel()
	testrand.CheckFew(t, 20, func(t *rapid.T) {
		f := newFinder(t)
		defer f.close()
		t.Repeat(map[string]func(*rapid.T){
			"": f.check, "release": f.release, "release more": f.release, "schema": f.schema, "settings": f.settings, "rank": f.rank,
			"reload": f.reload, "build": f.build, "texts": f.indexTexts, "reopen": f.reopen, "hold": f.hold,
		})
		f.letGo(t)
		wantSound(t, f.sub.s, string(f.set.ID))
	})
}

const (
	finderEntries = 40
	finderName    = "things"
)

// finder is a project with one collection of fields of which some come and go, change type and become localized.
type finder struct {
	sub            *subject
	fs             vfs.FS
	model          *readtest.Memory
	set            readtest.Settings
	head, revision uint64
	push           uint64
	live           map[uint64]bool
	held           []heldView
}

func newFinder(t *rapid.T) *finder {
	f := &finder{fs: vfs.NewMem(), model: readtest.NewMemory(), live: map[uint64]bool{}}
	f.sub = &subject{t: t, feeds: map[string]*feed{}}
	tune := smallTuning()
	f.sub.tune = tune
	tune.buildByHand = true
	tune.rows.TextBatch = rapid.SampledFrom([]int{1, 1 << 20}).Draw(t, "bytes of a batch of words")
	tune.buildRows = rapid.SampledFrom([]int{1, 7, 1000}).Draw(t, "rows of a build")
	tune.setChunks(rapid.SampledFrom([]layout.Chunking{1, 3, 5, layout.DefaultChunking}).Draw(t, "bits of a chunk"))
	tune.runBytes = rapid.SampledFrom([]int{1, 2000, 1 << 20}).Draw(t, "run size")
	tune.smallRun = rapid.SampledFrom([]int{1, load.DefaultSmallRun}).Draw(t, "small run")
	tune.columns = drawColumns(t, tune.columns)
	switch rapid.IntRange(0, 3).Draw(t, "steps") {
	case 0:
		tune.lists.Budget = func(int) int { return 0 }
	case 1:
		tune.lists.Budget = func(steps int) int { return steps % 23 }
	case 2:
		tune.lists.Budget = func(steps int) int { return steps % 101 }
	}
	tune.lists.Arranged = tune.buildRows // and not another draw, with which the inputs in testdata would become other ones
	tune.lists.Way = rapid.SampledFrom([]plan.Way{plan.ByCost, plan.AlwaysWalk, plan.AlwaysCollect}).Draw(t, "way")
	f.sub.open(f.fs)
	f.set = readtest.Settings{Project: read.Project{
		ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop", PublicAPIEnabled: true, CursorKey: []byte("a cursor key of its own"),
		Locales: []string{"en", "de"}, DefaultLocale: "en",
	}, From: 1}
	f.both(t, func(s readtest.Subject) error { return s.PutSettings(context.Background(), f.set) })
	f.schema(t)
	return f
}

// drawColumns makes every way to a rank meet small data.
func drawColumns(t *rapid.T, c column.Config) column.Config {
	c.Every = rapid.SampledFrom([]int{1, 3, c.Every}).Draw(t, "documents of a key in memory")
	late := rapid.SampledFrom([]int{0, 2, 1000}).Draw(t, "later documents")
	c.Late = func(int) int { return late }
	c.Bytes = rapid.SampledFrom([]int64{0, 1000, c.Bytes}).Draw(t, "bytes of columns")
	return c
}

func (f *finder) close() {
	for _, h := range f.held {
		h.got.Close()
	}
	if err := f.sub.s.Close(); err != nil {
		f.sub.t.Fatal(err)
	}
}

func (f *finder) both(t *rapid.T, do func(s readtest.Subject) error) {
	for _, s := range []readtest.Subject{f.model, f.sub} {
		if err := do(s); err != nil {
			t.Fatal(err)
		}
	}
}

// finderFields are the fields there may be, with the types that each may have.
var finderFields = map[string][]string{
	"kind": {"text", "text", "slug"}, "size": {"number", "text"}, "flag": {"boolean"}, "day": {"date", "text"}, "at": {"datetime"}, "long": {"text"}, "body": {"text"},
}

func (f *finder) schema(t *rapid.T) {
	f.push++
	var fields []string
	for _, key := range slices.Sorted(maps.Keys(finderFields)) {
		if rapid.IntRange(0, 5).Draw(t, key+" stays away") == 0 {
			continue
		}
		kind := rapid.SampledFrom(finderFields[key]).Draw(t, key)
		localized := kind != "slug" && rapid.IntRange(0, 2).Draw(t, key+" localized") == 0
		fields = append(fields, fmt.Sprintf(`%q:{"type":%q,"localized":%v}`, key, kind, localized))
	}
	v := readtest.Version{Name: finderName, Version: uint32(f.push), Label: "Things"}
	v.Canonical = fmt.Appendf(nil, `{"name":%q,"visibility":"public","fields":{%s}}`, finderName, strings.Join(fields, ","))
	s := readtest.Schema{Number: f.push, From: f.head + 1, Collections: []readtest.Version{v}}
	f.both(t, func(sub readtest.Subject) error { return sub.PutSchema(context.Background(), f.set.ID, s) })
}

func (f *finder) settings(t *rapid.T) {
	f.set.Locales = rapid.SampledFrom([][]string{nil, {"en"}, {"en", "de"}, {"de", "fr", "en"}}).Draw(t, "locales")
	if f.set.DefaultLocale = ""; len(f.set.Locales) > 0 {
		f.set.DefaultLocale = f.set.Locales[0]
	}
	f.set.From = f.head + 1
	f.both(t, func(s readtest.Subject) error { return s.PutSettings(context.Background(), f.set) })
}

const longStart = "a text of which one hundred and fifty characters are the same in all so that no key of a row in any index tells them apart: it is the end that matters; "

// drawValue draws what a field holds, mostly of a few values, also such as do not fit.
func drawValue(t *rapid.T, key string) string {
	n := rapid.IntRange(0, 4).Draw(t, key)
	switch key {
	case "kind":
		return fmt.Sprintf("%q", []string{"a", "b", "b!", "", "c"}[n])
	case "size":
		return []string{"1", "-1.5", "1e2", "0", `"2"`}[n]
	case "flag":
		return []string{"true", "false", "true", "1", "false"}[n]
	case "day":
		return []string{`"2024-01-01"`, `"2023-12-31"`, `"2024-02-29"`, `"x"`, "7"}[n]
	case "body":
		return fmt.Sprintf("%q", []string{"red fox", "fox, red", "red", "the *blue* fox runs", "blue"}[n])
	case "at":
		return []string{`"2024-01-01T00:00:00Z"`, `"2024-01-01T01:00:00+01:00"`, `"2024-01-01T00:00:00.001Z"`, `"1969-01-01T00:00:00Z"`, `"never"`}[n]
	}
	return fmt.Sprintf("%q", []string{longStart, longStart + "a", longStart + "b", longStart[:128], "short"}[n])
}

func drawFields(t *rapid.T) string {
	var members []string
	for _, key := range slices.Sorted(maps.Keys(finderFields)) {
		switch rapid.IntRange(0, 5).Draw(t, key+" form") {
		case 0:
		case 1:
			members = append(members, fmt.Sprintf(`%q:null`, key))
		case 2, 3:
			var locales []string
			for _, code := range []string{"de", "en", "fr"} {
				if n := rapid.IntRange(0, 4).Draw(t, "in "+code); n > 1 {
					locales = append(locales, fmt.Sprintf(`%q:%s`, code, drawValue(t, key)))
				} else if n == 1 {
					locales = append(locales, fmt.Sprintf(`%q:null`, code))
				}
			}
			members = append(members, fmt.Sprintf(`%q:{%s}`, key, strings.Join(locales, ",")))
		default:
			members = append(members, fmt.Sprintf(`%q:%s`, key, drawValue(t, key)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (f *finder) release(t *rapid.T) {
	f.head++
	r := readtest.Release{Release: content.Release{Number: f.head, PublishedAt: time.UnixMilli(int64(f.head) * 1000).UTC()}}
	for _, n := range rapid.SliceOfNDistinct(rapid.Uint64Range(0, finderEntries-1), 0, 12, rapid.ID[uint64]).Draw(t, "entries") {
		item := readtest.Item{Entry: readtest.Entry(n), Collection: finderName}
		if f.live[n] = !f.live[n] || rapid.IntRange(0, 3).Draw(t, "goes") != 0; f.live[n] {
			f.revision++
			item.Revision, item.SchemaVersion, item.Fields = readtest.Revision(f.revision), uint32(f.push), drawFields(t)
		}
		r.Items = append(r.Items, item)
	}
	f.both(t, func(s readtest.Subject) error { return s.Publish(context.Background(), f.set.ID, r) })
}

func (f *finder) rank(t *rapid.T) {
	r := readtest.Ranks{Collection: finderName, Entries: map[content.EntryID]string{}}
	for n := range rapid.MapOfN(rapid.Uint64Range(0, finderEntries-1), rapid.Just(0), 1, 5).Draw(t, "entries") {
		r.Entries[readtest.Entry(n)] = rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "rank")
	}
	f.both(t, func(s readtest.Subject) error { return s.Arrange(context.Background(), f.set.ID, r) })
}

func (f *finder) reload(t *rapid.T) { f.sub.feed(string(f.set.ID)).load(t, f.sub.s) }

func (f *finder) build(t *rapid.T) {
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		if more, err := f.sub.s.buildStep(string(f.set.ID)); err != nil {
			t.Fatal(err)
		} else if !more {
			return
		}
	}
}

func (f *finder) indexTexts(t *rapid.T) { indexTexts(t, f.sub.s, string(f.set.ID)) }

func (f *finder) reopen(t *rapid.T) {
	f.letGo(t)
	if err := f.sub.s.Close(); err != nil {
		t.Fatal(err)
	}
	f.sub.open(f.fs)
	f.sub.feed(string(f.set.ID)).resume(t, f.sub.s)
}

func (f *finder) views(t *rapid.T) (h heldView) {
	var err error
	if h.got, err = f.sub.Store().Open(context.Background(), "shop"); err != nil {
		t.Fatal(err)
	}
	if h.want, err = f.model.Open(context.Background(), "shop"); err != nil {
		t.Fatal(err)
	}
	h.head = f.head
	return h
}

// hold keeps a view to be compared when more has happened.
func (f *finder) hold(t *rapid.T) { f.held = append(f.held, f.views(t)) }

func (f *finder) letGo(t *rapid.T) {
	for _, h := range f.held {
		f.compare(t, h)
		h.got.Close()
	}
	f.held = nil
}

func (f *finder) check(t *rapid.T) {
	h := f.views(t)
	defer h.got.Close()
	for range 3 {
		f.compare(t, h)
	}
}

// compare asks both for one list, page by page.
func (f *finder) compare(t *rapid.T, h heldView) {
	ctx := context.Background()
	q := read.ListQuery{Collection: finderName, Limit: rapid.IntRange(1, 12).Draw(t, "limit")}
	if h.head > 0 && rapid.Bool().Draw(t, "pinned") {
		q.Pin = rapid.Uint64Range(1, h.head).Draw(t, "pin")
	}
	if rapid.IntRange(0, 5).Draw(t, "by bytes") == 0 {
		q.Bytes = rapid.IntRange(1, 2000).Draw(t, "bytes")
	}
	frame, err := h.want.Frame(ctx, finderName, q.Pin)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.got.Frame(ctx, finderName, q.Pin)
	if err != nil || (got.Schema == nil) != (frame.Schema == nil) {
		t.Fatalf("frame at %d: %v %v, want %v", q.Pin, got, err, frame)
	}
	if frame.Schema == nil || len(frame.Schema.Fields) == 0 {
		return
	}
	q.Frame = &frame
	if len(frame.Locales) > 0 && rapid.Bool().Draw(t, "in a locale") {
		q.Locale = rapid.SampledFrom(frame.Locales).Draw(t, "locale")
	}
	filters, order := drawQuery(t, &frame)
	text := ""
	if rapid.Bool().Draw(t, "searched") {
		text = rapid.SampledFrom(finderSearches).Draw(t, "search")
	}
	if q.Search, err = search.Parse(text); err != nil {
		t.Fatal(err)
	}
	if q.Conditions, q.Order, err = query.Bind(frame.Schema, frame.ValueLocales(), q.Locale, filters, order); err != nil {
		t.Fatal(err)
	}
	for page := 0; ; page++ {
		want, err := h.want.List(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.got.List(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := rowsText(got), rowsText(want); a != b {
			t.Fatalf("page %d at %d in %q of %v with %q by %v:\n%s\nwant\n%s", page, q.Pin, q.Locale, filters, text, order, a, b)
		}
		if !want.More {
			return
		}
		after := want.Rows[len(want.Rows)-1].Key
		q.After = &after
	}
}

func rowsText(p read.Page) string {
	var b strings.Builder
	for _, row := range p.Rows {
		fmt.Fprintf(&b, "%s %s %x %v %s\n", row.Entry, row.Revision, row.Key.Value, row.Key.Missing, row.Fields)
	}
	fmt.Fprint(&b, "more: ", p.More)
	return b.String()
}

// finderSearches find values of drawValue.
var finderSearches = []string{"fox", "red", "red fox", `"red fox"`, `"fox red"`, "blue -fox", "-red", `-"red fox"`, "b", "short", `"all so that no key"`, "2 b"}

// drawQuery draws filters and an order that the schema allows.
func drawQuery(t *rapid.T, frame *read.Frame) (filters []query.Filter, order query.OrderBy) {
	field := rapid.SampledFrom(frame.Schema.Fields)
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		on := field.Draw(t, "field")
		f := query.Filter{Field: on.Key, Op: rapid.SampledFrom(query.Ops()).Draw(t, "op")}
		if slices.ContainsFunc(filters, func(g query.Filter) bool { return g.Field == f.Field && g.Op == f.Op }) {
			continue
		}
		value := func() string {
			n := rapid.IntRange(0, 4).Draw(t, "value")
			switch on.Type {
			case "number":
				return []string{"1", "-1.5", "100", "0", "2"}[n]
			case "boolean":
				return []string{"true", "false", "true", "false", "true"}[n]
			case "date":
				return []string{"2024-01-01", "2023-12-31", "2024-02-29", "2000-01-01", "2024-01-02"}[n]
			case "datetime":
				return []string{"2024-01-01T00:00:00Z", "2024-01-01T00:00:00.001Z", "1969-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2024-01-01T00:00:00.0005Z"}[n]
			}
			if on.Key == "long" {
				return []string{longStart, longStart + "a", longStart + "aa", longStart[:128], "short"}[n]
			}
			return []string{"a", "b", "2", "", "c"}[n]
		}
		switch f.Op {
		case query.OpExists:
			f.Text = rapid.SampledFrom([]string{"true", "false"}).Draw(t, "exists")
		case query.OpIn:
			f.Text = value() + "," + value()
		default:
			f.Text = value()
		}
		filters = append(filters, f)
	}
	if rapid.Bool().Draw(t, "ordered") {
		order = query.OrderBy{Field: field.Draw(t, "order").Key, Descending: rapid.Bool().Draw(t, "descending")}
	}
	return filters, order
}
