package content

import "testing"

// The table of the interface, "Change set statuses", cell by cell.
func TestChangeSetTransitions(t *testing.T) {
	allowed := map[[2]ChangeSetStatus]bool{
		{ChangeSetOpen, ChangeSetReady}:      true,
		{ChangeSetOpen, ChangeSetPublished}:  true,
		{ChangeSetOpen, ChangeSetClosed}:     true,
		{ChangeSetReady, ChangeSetOpen}:      true,
		{ChangeSetReady, ChangeSetPublished}: true,
		{ChangeSetReady, ChangeSetClosed}:    true,
	}
	for _, from := range ChangeSetStatuses() {
		for _, to := range ChangeSetStatuses() {
			if got := from.CanBecome(to); got != allowed[[2]ChangeSetStatus{from, to}] {
				t.Errorf("%s to %s: %v", from, to, got)
			}
		}
	}
}
