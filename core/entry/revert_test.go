package entry_test

import (
	"fmt"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/shared/content"
)

// A revert restores the state before a release, and the revert of that revert the state after it, again and again: whether an entry is
// published, unpublished or deleted, and what it says.
func TestRevertsOfRevertsGoBackAndForth(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	state := func(id content.EntryID) string {
		e := b.Get(id)
		if e.Published == nil {
			return string(e.Status)
		}
		return fmt.Sprintf("%s %s", e.Status, e.Published.Fields)
	}
	stage := func(do func(set *changeset.ChangeSet) error) *changeset.Published {
		set := b.Set("Change")
		b.OK(do(set))
		return b.Publish(set)
	}
	remove := func(id content.EntryID) func(*changeset.ChangeSet) error {
		return func(set *changeset.ChangeSet) error {
			_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
			return err
		}
	}
	for name, c := range map[string]struct {
		former        func(id content.EntryID) // what happens to the published entry before the release
		do            func(id content.EntryID, set *changeset.ChangeSet) error
		before, after string
	}{
		"update": {
			do: func(id content.EntryID, set *changeset.ChangeSet) error {
				b.Patch(set, id, `{"body": "B"}`)
				return nil
			},
			before: `published {"title":"update","slug":"update"}`, after: `published {"title":"update","slug":"update","body":"B"}`,
		},
		"unpublish": {
			do: func(id content.EntryID, set *changeset.ChangeSet) error {
				_, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
				return err
			},
			before: `published {"title":"unpublish","slug":"unpublish"}`, after: "unpublished",
		},
		"delete": {
			do:     func(id content.EntryID, set *changeset.ChangeSet) error { return remove(id)(set) },
			before: `published {"title":"delete","slug":"delete"}`, after: "deleted",
		},
		"undelete": {
			former: func(id content.EntryID) { stage(remove(id)) },
			do: func(id content.EntryID, set *changeset.ChangeSet) error {
				_, err := entry.Undelete(t.Context(), b.Pool, b.Actor, b.ID, string(id), string(set.ID))
				return err
			},
			before: "deleted", after: `published {"title":"undelete","slug":"undelete"}`,
		},
	} {
		id := b.Published("posts", fmt.Sprintf(`{"title": %q}`, name)).ID
		if c.former != nil {
			c.former(id)
		}
		b.backAndForth(name, stage(func(set *changeset.ChangeSet) error { return c.do(id, set) }), func() string { return state(id) }, c.before, c.after)
	}
	made := b.Create(nil, "posts", `{"title": "create"}`)
	b.backAndForth("create", b.Publish(made.ChangeSet), func() string { return state(made.Entry.ID) }, "unpublished", `published {"title":"create","slug":"create"}`)
}

// backAndForth reverts a release, and each time the revert.
func (b *bed) backAndForth(what string, p *changeset.Published, state func() string, before, after string) {
	b.Helper()
	if got := state(); got != after {
		b.Fatalf("%s leads to %s, not %s", what, got, after)
	}
	for n, want := range []string{before, after, before, after} {
		set, err := entry.Revert(b.Context(), b.Pool, b.Actor, b.ID, fmt.Sprint(p.Release.Number), "", false)
		b.OK(err)
		p = b.Publish(set)
		if got := state(); got != want {
			b.Errorf("%s after %d reverts: %s, want %s", what, n+1, got, want)
		}
	}
}
