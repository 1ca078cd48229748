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
