package cli

import "testing"

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
	d.script("stale")
}

func TestChangeSetsAreRenamedAndMarkedReady(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	withContent(d)
	d.script("edit_set")
}
