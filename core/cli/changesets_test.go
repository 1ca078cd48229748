package cli

import (
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

func TestChangeSetsAreRenamedAndMarkedReady(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.script("edit_set")
}
