package entry_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/shared/content"
	"svc/shared/fault"
)

func (b *bed) tryImport(collection string, options entry.ImportOptions, rows ...entry.ImportRow) (*entry.Imported, error) {
	return entry.Import(b.Context(), b.Pool, b.Actor, b.ID, collection, options, each(rows))
}

func (b *bed) imported(collection string, options entry.ImportOptions, rows ...entry.ImportRow) *entry.Imported {
	b.Helper()
	out, err := b.tryImport(collection, options, rows...)
	b.OK(err)
	return out
}

func each(rows []entry.ImportRow) iter.Seq2[entry.ImportRow, error] {
	return func(yield func(entry.ImportRow, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func row(data string) entry.ImportRow { return entry.ImportRow{Data: jsontext.Value(data)} }

func withSlug(slug, data string) entry.ImportRow {
	return entry.ImportRow{Slug: &slug, Data: jsontext.Value(data)}
}

func counts(out *entry.Imported) string {
	return fmt.Sprintf("%d created, %d updated, %d skipped", out.Created, out.Updated, out.Skipped)
}

func TestImportMatchesBySlugAndSkipsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	rows := []entry.ImportRow{
		row(`{"title": "Same"}`), row(`{"title": "Same"}`), withSlug("named", `{"title": "Named"}`), row(`{"title": "Other", "slug": "in-data"}`),
	}
	first := b.imported("posts", entry.ImportOptions{}, rows...)
	if counts(first) != "4 created, 0 updated, 0 skipped" || first.ChangeSet.Title != changeset.WorkingTitle {
		t.Fatalf("%+v", first)
	}
	var slugs []string
	for _, r := range first.Rows {
		slugs = append(slugs, *r.Slug)
	}
	if got := strings.Join(slugs, " "); got != "same same-2 named in-data" {
		t.Fatal(got)
	}
	// Into the same set, and outside of it while nothing is published: all of it is there already.
	for _, options := range []entry.ImportOptions{{ChangeSet: string(first.ChangeSet.ID)}, {}} {
		if again := b.imported("posts", options, rows...); counts(again) != "0 created, 0 updated, 4 skipped" {
			t.Fatalf("%+v", again)
		}
	}
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM change_set`); n != 1 {
		t.Fatalf("an import that changes nothing leaves no set; there are %d", n)
	}
	b.Publish(first.ChangeSet)
	rows[2] = withSlug("named", `{"body": "added"}`)
	second := b.imported("posts", entry.ImportOptions{}, rows...)
	if counts(second) != "0 created, 1 updated, 3 skipped" {
		t.Fatal(counts(second))
	}
	b.Publish(second.ChangeSet)
	e := b.Get(first.Rows[2].Entry)
	if string(e.Published.Fields) != `{"title":"Named","slug":"named","body":"added"}` {
		t.Fatalf("%s", e.Published.Fields)
	}
}

func TestImportMatchesByID(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("authors", `{"name": "A"}`)
	out := b.imported("authors", entry.ImportOptions{}, entry.ImportRow{ID: e.ID, Data: jsontext.Value(`{"name": "B"}`)}, row(`{"name": "New"}`))
	if counts(out) != "1 created, 1 updated, 0 skipped" {
		t.Fatal(counts(out))
	}
	b.Publish(out.ChangeSet)
	if e = b.Get(e.ID); string(e.Published.Fields) != `{"name":"B"}` {
		t.Fatalf("%s", e.Published.Fields)
	}
	moved := "moved"
	post := b.Published("posts", `{"title": "P"}`)
	out = b.imported("posts", entry.ImportOptions{}, entry.ImportRow{ID: post.ID, Slug: &moved})
	b.Publish(out.ChangeSet)
	if post = b.Get(post.ID); *post.Published.Slug != "moved" {
		t.Fatalf("%+v", post.Published)
	}
}

func TestImportIsAllOrNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	live := b.Published("posts", `{"title": "Live"}`)
	before := entrytest.One[int](b.Bed, `SELECT count(*) FROM revision`)
	_, err := b.tryImport("posts", entry.ImportOptions{},
		row(`{"title": "Fine"}`),
		row(`{"body": 1}`),
		row(`{"title": "x", "title": "y"}`),
		withSlug("Bad Slug", `{"title": "x"}`),
		withSlug("twice", `{"title": "x"}`), withSlug("twice", `{"title": "x"}`),
		entry.ImportRow{ID: content.NewID[content.EntryID](), Data: jsontext.Value(`{"title": "x"}`)},
		entry.ImportRow{ID: live.ID, Data: jsontext.Value(`{"title": "x"}`)}, withSlug("live", `{"title": "x"}`),
		row(fmt.Sprintf(`{"title": "x", "author": %q}`, live.ID)),
	)
	f := b.Refused(err, fault.ValidationFailed)
	got := entrytest.Codes(f)
	for _, want := range []string{
		"entries[1].fields.title required", "entries[1].fields.body type", "entries[2].data.title syntax", "entries[3].slug slug",
		"entries[5].", "entries[6].id reference", "entries[8].id duplicate", "entries[9].fields.author reference",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if after := entrytest.One[int](b.Bed, `SELECT count(*) FROM revision`); after != before {
		t.Fatalf("%d revisions, %d before", after, before)
	}
}

func TestImportDryRunKeepsNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	out := b.imported("posts", entry.ImportOptions{DryRun: true}, row(`{"title": "One"}`))
	if counts(out) != "1 created, 0 updated, 0 skipped" || out.ChangeSet != nil || out.Rows[0].Entry != "" {
		t.Fatalf("%+v", out)
	}
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM entry`); n != 0 {
		t.Fatalf("%d entries", n)
	}
}

func TestImportRefusesMoreThanARelease(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, err := b.tryImport("posts", entry.ImportOptions{}, make([]entry.ImportRow, entry.MaxImportRows+1)...)
	b.Refused(err, fault.PayloadTooLarge)
}

func TestImportOfASingleton(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "home", "kind": "singleton", "fields": {"title": {"type": "text"}}}`)
	out := b.imported("home", entry.ImportOptions{}, row(`{"title": "A"}`))
	b.Publish(out.ChangeSet)
	if again := b.imported("home", entry.ImportOptions{}, row(`{"title": "B"}`)); counts(again) != "0 created, 1 updated, 0 skipped" {
		t.Fatal(counts(again))
	}
	_, err := b.tryImport("home", entry.ImportOptions{}, row(`{"title": "A"}`), row(`{"title": "B"}`))
	b.Refused(err, fault.ValidationFailed)
}

func TestImportOverChunks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	rows := make([]entry.ImportRow, 1203)
	for i := range rows {
		rows[i] = row(`{"title": "Same title"}`)
	}
	out := b.imported("posts", entry.ImportOptions{}, rows...)
	if out.Created != len(rows) || *out.Rows[1202].Slug != "same-title-1203" {
		t.Fatalf("%s, last %s", counts(out), *out.Rows[1202].Slug)
	}
	if p := b.Publish(out.ChangeSet); len(p.EntryIDs) != len(rows) {
		t.Fatalf("%d published", len(p.EntryIDs))
	}
	if again := b.imported("posts", entry.ImportOptions{}, rows...); again.Skipped != len(rows) {
		t.Fatal(counts(again))
	}
}
