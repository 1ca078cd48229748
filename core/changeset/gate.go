package changeset

import (
	"svc/shared/fault"
)

// Facts are what the gates of a publish look at (interface, "Publish gates").
type Facts struct {
	RequiredApprovals int
	Approvals         int // that are not stale
	ChangesRequested  bool

	RequireChecksPass bool
	ChecksPassed      bool // the latest run is of these items, and nothing in it failed
}

// CheckGates refuses a publish that people or checks have not let through: APPROVAL_REQUIRED first, then
// CHECKS_FAILED.
func CheckGates(f Facts) error {
	switch {
	case f.ChangesRequested:
		return fault.New(fault.ApprovalRequired, "a reviewer asked for changes; that review has to approve or go first")
	case f.Approvals < f.RequiredApprovals:
		return fault.New(fault.ApprovalRequired, "the project requires %d approvals of the change set as it is; it has %d", f.RequiredApprovals, f.Approvals)
	case f.RequireChecksPass && !f.ChecksPassed:
		return fault.New(fault.ChecksFailed, "the project requires checks to pass, and no passing run matches the items as they are")
	}
	return nil
}
