package readtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// epoch is when release 0 would have been; release n is n minutes later.
var epoch = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture changes one project of a subject and numbers what it does.
type fixture struct {
	*testing.T
	subject  Subject
	settings Settings
	release  uint64
	push     uint64
	revision uint64
	before   func(r Release) // is told of each release before it is published; nil tells no one
}

// newFixture makes a project n with a public collection "posts" that has slugs.
func newFixture(t *testing.T, subject Subject, n uint64) *fixture {
	t.Helper()
	f := &fixture{T: t, subject: subject}
	f.revision = n * 1000
	f.set(func(s *Settings) {
		s.Project = read.Project{
			ID: Project(n), Organization: Organization(1), Slug: fmt.Sprintf("shop-%d", n), PublicAPIEnabled: true,
			AllowedOrigins: []string{"https://shop.example"}, CursorKey: []byte("a cursor key of at least 16 bytes"),
		}
	})
	f.put(posts(1))
	return f
}

func posts(version uint32) Version {
	return Version{Name: "posts", Version: version, Label: "Posts", Canonical: fmt.Appendf(nil,
		`{"name":"posts","visibility":"public","fields":{"title":{"type":"text","maxLength":%d},"slug":{"type":"slug"}}}`, 100+version)}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// set changes the settings for the releases to come.
func (f *fixture) set(edit func(*Settings)) {
	f.Helper()
	edit(&f.settings)
	f.settings.From = f.release + 1
	f.must(f.subject.PutSettings(f.Context(), f.settings))
}

// put pushes collections for the releases to come.
func (f *fixture) put(versions ...Version) {
	f.Helper()
	f.push++
	s := Schema{Number: f.push, From: f.release + 1, Collections: versions}
	f.must(f.subject.PutSchema(f.Context(), f.settings.ID, s))
}

func (f *fixture) remove(names ...string) {
	f.Helper()
	f.push++
	f.must(f.subject.PutSchema(f.Context(), f.settings.ID, Schema{Number: f.push, From: f.release + 1, Removed: names}))
}

// skip leaves numbers out, as a recovery does.
func (f *fixture) skip(numbers uint64) { f.release += numbers }

// publish makes the next release.
func (f *fixture) publish(items ...Item) {
	f.Helper()
	f.release++
	r := Release{Release: content.Release{Number: f.release, PublishedAt: timeOf(f.release)}, Items: items}
	if f.before != nil {
		f.before(r)
	}
	f.must(f.subject.Publish(f.Context(), f.settings.ID, r))
}

func timeOf(release uint64) time.Time { return epoch.Add(time.Duration(release) * time.Minute) }

// post is an item that publishes a new revision of entry n in posts.
func (f *fixture) post(n uint64, slug string) Item {
	f.revision++
	return Item{
		Entry: Entry(n), Collection: "posts", Slug: slug, Revision: Revision(f.revision), SchemaVersion: 1,
		Fields: fmt.Sprintf(`{"title":"Post %d in revision %d","slug":%q}`, n, f.revision, slug),
	}
}

func gone(n uint64) Item { return Item{Entry: Entry(n), Collection: "posts"} }

func (f *fixture) rank(ranks map[uint64]string) {
	f.Helper()
	r := Ranks{Collection: "posts", Entries: map[content.EntryID]string{}}
	for n, rank := range ranks {
		r.Entries[Entry(n)] = rank
	}
	f.must(f.subject.Arrange(f.Context(), f.settings.ID, r))
}

// open opens a view of the project.
func (f *fixture) open() read.View {
	f.Helper()
	v, err := f.subject.Store().Open(f.Context(), string(f.settings.ID))
	f.must(err)
	return v
}

// view opens a view of the project, which the test closes at its end.
func (f *fixture) view() read.View {
	f.Helper()
	v := f.open()
	f.Cleanup(v.Close)
	return v
}

func (f *fixture) missing(ref string) {
	f.Helper()
	v, err := f.subject.Store().Open(f.Context(), ref)
	if err == nil {
		v.Close()
	}
	if !fault.Is(err, fault.NotFound) {
		f.Errorf("opening %q: %v, want NOT_FOUND", ref, err)
	}
}

// entries walks a list in pages and returns the numbers of its entries in order.
func entries(t *testing.T, v read.View, pin uint64, limit int) []uint64 {
	t.Helper()
	var out []uint64
	for _, row := range walk(t, v, "posts", pin, limit) {
		out = append(out, number(row.Entry))
	}
	return out
}

func walk(t *testing.T, v read.View, collection string, pin uint64, limit int) []read.Row {
	t.Helper()
	var out []read.Row
	q := read.ListQuery{Collection: collection, Pin: pin, Limit: limit}
	for {
		page, err := v.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Rows) > limit || page.More && len(page.Rows) < limit {
			t.Fatalf("a page of %d has %d rows, more: %v", limit, len(page.Rows), page.More)
		}
		for _, row := range page.Rows {
			row.Fields = slices.Clone(row.Fields)
			out = append(out, row)
		}
		if !page.More {
			return out
		}
		after := out[len(out)-1].Key
		q.After = &after
	}
}

// number is the inverse of Entry.
func number(e content.EntryID) uint64 {
	b, ok := content.Bytes(e)
	if !ok {
		return 0
	}
	var n uint64
	for _, c := range b[8:] {
		n = n<<8 | uint64(c)
	}
	return n
}

func (f *fixture) wantEntries(v read.View, pin uint64, want ...uint64) {
	f.Helper()
	for _, limit := range []int{1, 2, 3, 100} {
		if got := entries(f.T, v, pin, limit); !slices.Equal(got, want) {
			f.Errorf("at release %d in pages of %d: %v, want %v", pin, limit, got, want)
		}
	}
}

// wantSlug checks which entry answers to a slug at a pin; 0 is none.
func (f *fixture) wantSlug(v read.View, slug string, pin uint64, want uint64) {
	f.Helper()
	row, found, err := v.BySlug(f.Context(), "posts", slug, pin)
	f.must(err)
	if found != (want != 0) || found && (number(row.Entry) != want || row.Slug != slug) {
		f.Errorf("%s at release %d: %v %+v, want entry %d", slug, pin, found, row, want)
	}
}

func (f *fixture) wantFormer(v read.View, slug, want string) {
	f.Helper()
	f.wantFormerAt(v, slug, 0, want)
}

func (f *fixture) wantFormerAt(v read.View, slug string, pin uint64, want string) {
	f.Helper()
	got, found, err := v.FormerSlug(f.Context(), "posts", slug, pin)
	f.must(err)
	if got != want || found != (want != "") {
		f.Errorf("the former slug %s leads to %q at %d, %v; want %q", slug, got, pin, found, want)
	}
}
