package entry_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/shared/content"
	"svc/shared/fault"
)

// told says what became of each row: its outcome and slug.
func told(out *entry.Imported) string {
	var all []string
	for _, r := range out.Rows {
		slug := "–"
		if r.Slug != nil {
			slug = *r.Slug
		}
		all = append(all, string(r.Outcome)+" "+slug)
	}
	return strings.Join(all, ", ")
}

// The same file is imported several times at once: one import makes the entries, and the others find them.
func TestImportsAtTheSameTimeMakeNothingTwice(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var created, skipped atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			out := b.imported("posts", entry.ImportOptions{}, row(`{"title": "Alike"}`), row(`{"title": "Alike"}`), row(`{"title": "Other"}`))
			created.Add(int64(out.Created))
			skipped.Add(int64(out.Skipped))
		})
	}
	group.Wait()
	if created.Load() != 3 || skipped.Load() != 9 {
		t.Errorf("%d created, %d skipped", created.Load(), skipped.Load())
	}
}

// A row says again what is a draft in another open set, whether or not the import names a set.
func TestARowIsComparedWithDraftsOfOtherSets(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.imported("posts", entry.ImportOptions{}, row(`{"title": "Bob"}`))
	for n, set := range []string{"", string(b.Set("another").ID)} {
		out := b.imported("posts", entry.ImportOptions{ChangeSet: set}, row(`{"title": "Bob"}`), row(`{"title": "Bob", "body": "x"}`))
		if got, want := told(out), []string{"skipped bob, created bob-2", "skipped bob, skipped bob-2"}[n]; got != want {
			t.Errorf("in the set %q: %s, want %s", set, got, want)
		}
	}
}

// A row without an id and a slug changes no entry, whatever its title, and the same file changes nothing again, before and
// after it is published.
func TestRowsAlikeInTitleAreEntriesOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := []struct {
		rows []entry.ImportRow
		want string
	}{
		{[]entry.ImportRow{row(`{"title": "Team meeting", "body": "Monday"}`)}, "team-meeting"},
		{[]entry.ImportRow{row(`{"title": "Team meeting", "body": "Tuesday"}`)}, "team-meeting-2"},
		{[]entry.ImportRow{row(`{"title": "C++"}`)}, "c"},
		{[]entry.ImportRow{row(`{"title": "C#"}`)}, "c-2"},
		{[]entry.ImportRow{row(`{"title": "Twin"}`), row(`{"title": "Twin"}`), row(`{"title": "Twin", "body": "x"}`), row(`{"title": "twin"}`)}, "twin, twin-2, twin-3, twin-4"},
		{[]entry.ImportRow{row(`{"title": "Twin 2"}`), row(`{"title": "Twin"}`)}, "twin-2-2"}, // the second says what is there
		{[]entry.ImportRow{row(`{"title": "Kept"}`), withSlug("kept", `{"title": "It is mine"}`), row(`{"title": "Kept", "slug": null}`)}, "kept-2, kept, kept-3"},
	}
	outcomes := func(out *entry.Imported, outcome string) string {
		var slugs []string
		for _, r := range strings.Split(told(out), ", ") {
			if slug, is := strings.CutPrefix(r, outcome+" "); is {
				slugs = append(slugs, slug)
			}
		}
		return strings.Join(slugs, ", ")
	}
	var sets []*changeset.ChangeSet
	for n, f := range files {
		out := b.imported("posts", entry.ImportOptions{}, f.rows...)
		if got := outcomes(out, "created"); got != f.want || out.Updated > 0 {
			t.Fatalf("file %d: %s, want %s", n, told(out), f.want)
		}
		sets = append(sets, out.ChangeSet)
	}
	again := func(when string) {
		t.Helper()
		for n, f := range files {
			if out := b.imported("posts", entry.ImportOptions{}, f.rows...); out.Skipped != len(f.rows) || len(out.ChangeSets) > 0 {
				t.Fatalf("%s, file %d: %s", when, n, told(out))
			}
		}
	}
	again("staged")
	for _, set := range sets {
		b.Publish(set)
	}
	again("published")
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM revision`); n != 12 {
		t.Errorf("%d revisions, want one of each row that made an entry", n)
	}
	// Rows in another order find the same entries; an equal entry is found beyond a number that is free.
	twins := files[4].rows
	if out := b.imported("posts", entry.ImportOptions{}, twins[3], twins[2], twins[0]); told(out) != "skipped twin-4, skipped twin-3, skipped twin" {
		t.Error(told(out))
	}
	b.Publish(b.Patch(nil, b.find("posts", "team-meeting"), `{"slug": "moved"}`).ChangeSet)
	if out := b.imported("posts", entry.ImportOptions{}, files[1].rows...); out.Skipped != 1 {
		t.Error(told(out))
	}
}

// find returns the entry that is published with this slug.
func (b *bed) find(collection, slug string) content.EntryID {
	b.Helper()
	return entrytest.One[content.EntryID](b.Bed, `SELECT id FROM entry WHERE collection = $1 AND published_slug = $2`, collection, slug)
}

// Whether an entry says the same is asked of what a write would build on, and defaults that came later are no difference.
func TestEqualDataIsThatOfTheHeadAWriteBuildsOn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	e := b.Published("posts", `{"title": "Head", "body": "a"}`)
	open := b.Set("open")
	b.Patch(open, e.ID, `{"body": "b"}`)
	a, changed := row(`{"title": "Head", "body": "a"}`), row(`{"title": "Head", "body": "b"}`)
	for _, test := range []struct {
		name    string
		options entry.ImportOptions
		row     entry.ImportRow
		want    string
	}{
		{"what its open set proposes", entry.ImportOptions{DryRun: true}, changed, "skipped head"},
		{"what is published, while its open set proposes something else", entry.ImportOptions{DryRun: true}, a, "created head-2"},
		{"what the named set proposes", entry.ImportOptions{DryRun: true, ChangeSet: string(open.ID)}, changed, "skipped head"},
		{"what is published, for a set without it", entry.ImportOptions{DryRun: true, ChangeSet: string(b.Set("other").ID)}, a, "skipped head"},
	} {
		if got := told(b.imported("posts", test.options, test.row)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	closed := b.Set("closed")
	b.Create(closed, "posts", `{"title": "Orphan"}`)
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
	b.OK(err)
	if got := told(b.imported("posts", entry.ImportOptions{}, row(`{"title": "Orphan"}`), row(`{"title": "Orphan", "body": "x"}`))); got != "skipped orphan, created orphan-2" {
		t.Error(got)
	}
	b.Published("posts", `{"title": "Default"}`)
	b.Push(strings.Replace(entrytest.Posts, `"body": {`, `"kind": {"type": "text", "default": "plain"}, "body": {`, 1), entrytest.Authors)
	if got := told(b.imported("posts", entry.ImportOptions{}, row(`{"title": "Default"}`), row(`{"title": "Default", "kind": "rich"}`))); got != "skipped default, created default-2" {
		t.Error(got)
	}
	none := row(`{"title": "None", "kind": null}`)
	b.imported("posts", entry.ImportOptions{}, none)
	if got := told(b.imported("posts", entry.ImportOptions{}, none)); got != "skipped none" {
		t.Error(got)
	}
}

// Without a named set a row joins the one open or ready set that has its entry; of an entry in several it is a conflict; all
// other rows share one new set (interface, "Entry write targeting rules").
func TestImportFollowsTheTargetingRules(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	one, ready, several, free := b.Published("posts", `{"title": "One"}`), b.Published("posts", `{"title": "Ready"}`), b.Published("posts", `{"title": "Several"}`), b.Published("posts", `{"title": "Free"}`)
	open, review := b.Set("open"), b.Set("review")
	b.Patch(open, one.ID, `{"body": "staged"}`)
	b.Patch(review, ready.ID, `{"body": "staged"}`)
	b.Patch(open, several.ID, `{"body": "a"}`)
	b.Patch(review, several.ID, `{"body": "b"}`)
	draft := b.Create(open, "posts", `{"title": "Draft"}`).Entry
	status := content.ChangeSetReady
	_, err := changeset.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(review.ID), changeset.Edit{Status: &status})
	b.OK(err)
	rows := []entry.ImportRow{
		withSlug("one", `{"title": "One!"}`), {ID: ready.ID, Data: jsontext.Value(`{"title": "Ready!"}`)}, withSlug("several", `{"title": "Several!"}`),
		withSlug("free", `{"title": "Free!"}`), withSlug("draft", `{"title": "Draft!"}`), row(`{"title": "New"}`), withSlug("newer", `{"title": "Newer"}`),
		{ID: several.ID, Data: jsontext.Value(`{"title": "Several?"}`)},
	}
	dry := b.imported("posts", entry.ImportOptions{DryRun: true}, rows...)
	out := b.imported("posts", entry.ImportOptions{}, rows...)
	if counts(out) != "2 created, 4 updated, 0 skipped" || out.Conflicts != 2 || out.ChangeSet != nil || len(out.ChangeSets) != 3 {
		t.Fatalf("%+v", out)
	}
	made := out.ChangeSets[2]
	for n, want := range []content.ChangeSetID{open.ID, review.ID, "", made, open.ID, made, made, ""} {
		got, would := out.Rows[n], want
		if want == made {
			would = ""
		}
		if got.ChangeSet != want || dry.Rows[n].ChangeSet != would || dry.Rows[n].Outcome != got.Outcome {
			t.Errorf("row %d joined %q, and would have %q; want %q", n, got.ChangeSet, dry.Rows[n].ChangeSet, want)
		}
	}
	for _, n := range []int{2, 7} {
		r := out.Rows[n]
		if f := r.Conflict; r.Outcome != entry.OutcomeConflict || r.Entry != several.ID || f.Code != fault.Conflict || fmt.Sprint(f.ChangeSetIDs) != fmt.Sprint([]content.ChangeSetID{open.ID, review.ID}) {
			t.Errorf("row %d: %+v, %v", n, r, f)
		}
	}
	// Edits build on what their set proposes; the new set starts from what is published.
	for id, want := range map[content.EntryID]string{
		one.ID: `{"title":"One!","slug":"one","body":"staged"}`, ready.ID: `{"title":"Ready!","slug":"ready","body":"staged"}`,
		draft.ID: `{"title":"Draft!","slug":"draft"}`, free.ID: `{"title":"Free!","slug":"free"}`, several.ID: `{"title":"Several","slug":"several","body":"b"}`,
	} {
		if got := b.Get(id); string(got.Draft.Fields) != want {
			t.Errorf("%s, want %s", got.Draft.Fields, want)
		}
	}
	if out := b.imported("posts", entry.ImportOptions{}, rows[:2]...); out.Skipped != 2 || len(out.ChangeSets) > 0 {
		t.Error(told(out))
	}
	into := b.imported("posts", entry.ImportOptions{ChangeSet: string(open.ID)}, rows[2:4]...)
	if into.Updated != 2 || into.ChangeSet.ID != open.ID {
		t.Errorf("%+v", into)
	}
	set, err := changeset.Get(t.Context(), b.Pool, b.ID, string(made))
	b.OK(err)
	if set.Title != changeset.WorkingTitle {
		t.Errorf("%+v", set)
	}
	_, err = b.TryPublish(set) // free is in another set since, and that is no matter here
	b.OK(err)
}

// Where several drafts have a slug, a row with it is about neither.
func TestASlugOfSeveralDraftsIsAConflict(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	one, two := b.Set("one"), b.Set("two")
	first, second := b.Create(one, "posts", `{"title": "Same"}`).Entry.ID, b.Create(two, "posts", `{"title": "Same", "slug": "same"}`).Entry.ID
	out := b.imported("posts", entry.ImportOptions{}, withSlug("same", `{"title": "Mine"}`), row(`{"title": "Other"}`))
	if f := out.Rows[0].Conflict; told(out) != "conflict same, created other" || fmt.Sprint(f.EntryIDs) != fmt.Sprint([]content.EntryID{first, second}) {
		t.Errorf("%s, %+v", told(out), f)
	}
	if out := b.imported("posts", entry.ImportOptions{ChangeSet: string(two.ID)}, withSlug("same", `{"title": "Mine"}`)); out.Rows[0].Entry != second {
		t.Errorf("%+v", out)
	}
	// An entry that is gone is no entry, whatever sets still stage it.
	gone := b.Published("posts", `{"title": "Gone"}`)
	b.Patch(one, gone.ID, `{"body": "x"}`)
	b.Patch(two, gone.ID, `{"body": "y"}`)
	away := b.Set("away")
	_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(gone.ID), string(away.ID))
	b.OK(err)
	b.Publish(away)
	_, err = b.tryImport("posts", entry.ImportOptions{}, entry.ImportRow{ID: gone.ID, Data: jsontext.Value(`{"body": "z"}`)})
	if f := b.Refused(err, fault.ValidationFailed); entrytest.Codes(f) != " entries[0].id reference; " {
		t.Error(entrytest.Codes(f))
	}
	// A slug that an open set gives an entry is the entry's as well.
	e := b.Published("posts", `{"title": "Old"}`)
	b.Patch(one, e.ID, `{"slug": "renamed"}`)
	if out := b.imported("posts", entry.ImportOptions{}, withSlug("renamed", `{"title": "Older"}`)); out.Rows[0].Entry != e.ID || out.ChangeSet.ID != one.ID {
		t.Errorf("%+v", out)
	}
}

// Rows may swap the slugs of the entries with their ids.
func TestImportSwapsSlugs(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	one, two := b.Published("posts", `{"title": "One"}`), b.Published("posts", `{"title": "Two"}`)
	a, z := "one", "two"
	out := b.imported("posts", entry.ImportOptions{}, entry.ImportRow{ID: one.ID, Slug: &z}, entry.ImportRow{ID: two.ID, Slug: &a})
	b.Publish(out.ChangeSet)
	if b.find("posts", "one") != two.ID || b.find("posts", "two") != one.ID {
		t.Error(told(out))
	}
	if _, err := b.tryImport("posts", entry.ImportOptions{}, entry.ImportRow{ID: one.ID, Slug: &a}); err == nil {
		t.Error("a slug was taken from an entry that keeps it")
	}
}

// Imports, edits and publishes of the same entries at once do not wait for one another in a circle, and each import stages
// its rows in sets that it may join.
func TestImportsAmongOtherWrites(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const entries = 12
	ids := make([]content.EntryID, entries)
	for n := range ids {
		ids[n] = b.Published("posts", fmt.Sprintf(`{"title": "Post %d"}`, n)).ID
	}
	tolerated := func(err error) {
		switch f := fault.As(err); {
		case err == nil, f.Code == fault.Conflict, f.Code == fault.PublishValidationFailed:
		default:
			t.Errorf("%v", err)
		}
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		random := rand.New(rand.NewPCG(8, uint64(worker)))
		wait.Go(func() {
			for round := range 12 {
				var rows []entry.ImportRow
				for _, n := range random.Perm(entries)[:6] {
					rows = append(rows, entry.ImportRow{ID: ids[n], Data: jsontext.Value(fmt.Sprintf(`{"body": "%d of %d"}`, round, worker))})
				}
				out, err := b.tryImport("posts", entry.ImportOptions{}, rows...)
				if err != nil {
					tolerated(err)
					continue
				}
				if done := out.Updated + out.Skipped + out.Conflicts; done != len(rows) {
					t.Errorf("%d of %d rows", done, len(rows))
				}
				_, err = entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(ids[random.IntN(entries)]), entrytest.Write(nil, fmt.Sprintf(`{"body": "edit %d"}`, round)))
				tolerated(err)
				for _, id := range out.ChangeSets {
					_, err := b.TryPublish(&changeset.ChangeSet{ID: id})
					tolerated(err)
				}
			}
		})
	}
	wait.Wait()
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM change_set_item i JOIN change_set s ON s.id = i.change_set_id
		WHERE i.live AND s.status NOT IN ('open', 'ready')`); n > 0 {
		t.Errorf("%d items were staged into sets that are over", n)
	}
}
