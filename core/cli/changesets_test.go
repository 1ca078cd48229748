package cli

import (
	"strings"
	"testing"

	"svc/shared/content"
)

// What comes back is called neither an update nor a creation: it was published once, and is not now.
func TestWhatComesBackIsSaidToComeBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.items[string(d.sets[0].ID)][1].BaseRevisionID = nil
	d.script("brought_back")
}

// A set of which others have published something says so, item by item.
func TestStaleItemsSaySo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	items := d.items[string(d.sets[0].ID)]
	items[1].StaleSince, items[3].StaleSince, items[3].Slug = new(uint64(12)), new(uint64(13)), nil
	singleton := items[1]
	singleton.ResourceID, singleton.Collection, singleton.Slug = string(id[content.EntryID](4)), "home", nil
	d.items[string(d.sets[0].ID)] = append(items, singleton)
	d.script("stale")
}

// A change set may stage the deletion of an entry, and another entry with the slug of that.
func TestUnstagingAsksWhichOfTwoEntriesIsMeant(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.items[string(d.sets[0].ID)][0].Slug = orNull("post-delete")
	p := d.svc("change-sets", "unstage", string(d.sets[0].ID), "posts/post-delete")
	const want = "2 entries in the change set have the slug posts/post-delete [CONFLICT]\n  entries: ent_00000000000000000000000000, ent_00000000000000000000000003\n"
	if p.exit != ExitFailed || !strings.Contains(p.err, want) {
		t.Errorf("exit %d: %s%s", p.exit, p.out, p.err)
	}
}

func TestChangeSetsAreRenamedAndMarkedReady(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.script("edit_set")
}
