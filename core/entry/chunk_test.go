package entry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

func TestChunksAreBoundedByItemsAndBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sizes []int
		want  int
	}{{[]int{1}, 1}, {[]int{1, 1, 1, 1}, 3}, {[]int{4, 6, 1}, 2}, {[]int{4, 7}, 1}, {[]int{99, 1}, 1}, {[]int{0, 99}, 1}} {
		if got := entry.Fit(3, 10, tt.sizes...); got != tt.want {
			t.Errorf("%d of %v, want %d", got, tt.sizes, tt.want)
		}
	}
}

const linkedPages = `{"name": "pages", "titleField": "title", "fields": {
	"title": {"type": "text", "required": true}, "slug": {"type": "slug", "from": "title"},
	"body": {"type": "markdown"}, "next": {"type": "reference", "to": "pages"}%s}}`

// A rebase comes to the same in chunks of any size: to all conflicts, before slugs that others have, before all that does not fit, with
// nothing written; and in the end to what both sides want, also where slugs swap and references lead from one chunk to another.
func TestARebaseComesToTheSameInChunks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(fmt.Sprintf(linkedPages, `, "note": {"type": "text"}`), entrytest.Posts, entrytest.Authors)
	ids := make([]content.EntryID, 8)
	for n := range ids {
		ids[n] = b.Published("pages", fmt.Sprintf(`{"title": "Page %d"}`, n)).ID
	}
	gone, other := b.Published("pages", `{"title": "Gone"}`).ID, b.Published("pages", `{"title": "Other"}`).ID
	mine, theirs := b.Set("Mine"), b.Set("Theirs")
	for n, id := range ids {
		b.Patch(mine, id, fmt.Sprintf(`{"body": "Mine %d", "next": %q}`, n, ids[len(ids)-1-n]))
		b.Patch(theirs, id, `{"title": "Theirs"}`)
	}
	b.Patch(mine, ids[1], fmt.Sprintf(`{"next": %q}`, gone))
	b.Patch(mine, ids[5], `{"slug": "wanted"}`)
	b.Patch(mine, ids[7], `{"note": "Mine"}`)
	b.Patch(theirs, ids[2], `{"body": "Theirs"}`)
	b.Patch(theirs, ids[4], `{"body": "Mine 4"}`)
	b.Patch(theirs, ids[6], `{"body": "Theirs"}`)
	b.Patch(theirs, other, `{"slug": "wanted"}`)
	b.Patch(theirs, ids[0], `{"slug": "away"}`)
	b.Patch(theirs, ids[7], `{"slug": "page-0"}`)
	b.Patch(theirs, ids[0], `{"slug": "page-7"}`)
	_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(gone), string(theirs.ID))
	b.OK(err)
	b.Publish(theirs)
	p := entrytest.Proposal(fmt.Sprintf(linkedPages, ""), entrytest.Posts, entrytest.Authors)
	p.AllowDestructive = true
	_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, p)
	b.OK(err)

	b.refusedInChunks(mine, entry.Fail, fault.Conflict, "%s fields.body conflict; %s fields.body conflict; %s fields.note field_removed; ", ids[2], ids[6], ids[7])
	b.refusedInChunks(mine, entry.TakeMine, fault.Conflict, "%s slug slug_taken; ", ids[5])
	b.Patch(mine, ids[5], `{"slug": "free"}`)
	// What does not fit keeps its draft, with a slug that another one gets.
	b.refusedInChunks(mine, entry.TakeMine, fault.ValidationFailed, "%s fields.note field_removed; %s fields.next reference; ", ids[7], ids[1])
	b.Patch(mine, ids[1], `{"next": null}`)
	b.Patch(mine, ids[7], `{"body": "Mine 7"}`) // which drops the note

	out, err := entry.RebaseInChunks(t.Context(), b.Pool, b.Actor, b.ID, string(mine.ID), entry.TakeMine, false, 3, 8<<20)
	b.OK(err)
	for n, id := range ids {
		slug := map[int]string{0: "page-7", 5: "free", 7: "page-0"}[n]
		if slug == "" {
			slug = fmt.Sprintf("page-%d", n)
		}
		want := fmt.Sprintf(`{"title":"Theirs","slug":%q,"body":"Mine %d","next":%q}`, slug, n, ids[len(ids)-1-n])
		if n == 1 {
			want = `{"title":"Theirs","slug":"page-1","body":"Mine 1"}`
		}
		e, err := entry.Get(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(mine.ID))
		b.OK(err)
		if got := string(e.Draft.Fields); got != want || *e.Draft.Slug != slug || *out.Items[n].Target != e.Draft.ID {
			t.Errorf("%s at %s, as %s: want %s", got, e.Draft.ID, *out.Items[n].Target, want)
		}
	}
	b.Publish(mine)
}

// refusedInChunks checks what a rebase is refused for in chunks of several sizes, that a dry run makes the same plan in all of them and
// foresees the refusal, and that nothing is written.
func (b *bed) refusedInChunks(set *changeset.ChangeSet, on entry.OnConflict, code fault.Code, format string, ids ...any) {
	b.Helper()
	want, plans, before := fmt.Sprintf(format, ids...), "", b.staged(set)
	for _, size := range []struct{ items, bytes int }{{500, 8 << 20}, {3, 8 << 20}, {500, 700}} {
		_, err := entry.RebaseInChunks(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID), on, false, size.items, size.bytes)
		if got := entrytest.Codes(b.Refused(err, code)); got != want {
			b.Errorf("in chunks of %v: %s, want %s", size, got, want)
		}
		dry, err := entry.RebaseInChunks(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID), on, true, size.items, size.bytes)
		b.OK(err)
		if got := entrytest.Codes(&fault.Error{Items: dry.Errors}); on != entry.Fail && got != want {
			b.Errorf("in chunks of %v, foreseen is %s, want %s", size, got, want)
		}
		all, err := json.Marshal(dry.Items, json.Deterministic(true))
		b.OK(err)
		if plans == "" {
			plans = string(all)
		}
		if string(all) != plans || strings.Count(plans, `"replayed"`) != 8 {
			b.Errorf("in chunks of %v, the plan is %s, and otherwise %s", size, all, plans)
		}
		if got := b.staged(set); got != before {
			b.Errorf("in chunks of %v, what is staged became %s, from %s", size, got, before)
		}
	}
}

// staged tells what a set proposes, and how many revisions there are.
func (b *bed) staged(set *changeset.ChangeSet) string {
	b.Helper()
	return entrytest.One[string](b.Bed, `SELECT (SELECT count(*) FROM revision) || string_agg(concat_ws(' ', '; ', resource_id, base_revision_id, target_revision_id, slug), '' ORDER BY resource_id)
		FROM change_set_item WHERE change_set_id = $1`, set.ID)
}

// Content that is brought back in different chunks may refer to each other, though all of it is deleted until the end.
func TestARevertBringsBackWhatRefersToOtherChunks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(fmt.Sprintf(linkedPages, ""), entrytest.Posts, entrytest.Authors)
	large := strings.Repeat("x", entry.ChunkBytes*5/8) // two do not fit into one chunk
	made, gone := b.Set("Made"), b.Set("Gone")
	one, two := b.Create(made, "pages", `{"title": "One", "body": "`+large+`"}`).Entry.ID, b.Create(made, "pages", `{"title": "Two", "body": "`+large+`"}`).Entry.ID
	b.Patch(made, one, fmt.Sprintf(`{"next": %q}`, two))
	b.Patch(made, two, fmt.Sprintf(`{"next": %q}`, one))
	b.Publish(made)
	for _, id := range []content.EntryID{one, two} {
		_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(gone.ID))
		b.OK(err)
	}
	b.Publish(gone)
	set, err := entry.Revert(t.Context(), b.Pool, b.Actor, b.ID, "2", "", false)
	b.OK(err)
	b.Publish(set)
	for id, want := range map[content.EntryID]content.EntryID{one: two, two: one} {
		if e := b.Get(id); e.Status != entry.StatusPublished || !strings.Contains(string(e.Published.Fields), large+`","next":"`+string(want)+`"`) {
			t.Errorf("%s is %s", id, e.Status)
		}
	}
}
