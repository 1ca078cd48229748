package changeset

import (
	"fmt"

	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// The codes of findings about a set, beyond those of package schema.
const (
	codeTooMany              = "too_many"
	codeTooLarge             = "too_large"
	codeStale                = string(fault.StaleRevision)
	codeReferenceRemoved     = "reference_removed"
	codeReferenceUnpublished = schemadeploy.CodeReferenceUnpublished
	codeReference            = "reference"
	codeSlugTaken            = "slug_taken"
	codeCollection           = "unknown_collection"
)

// maxFindings bounds the list.
const maxFindings = 1000

// findings collects what is wrong.
type findings struct {
	items []fault.Item
	more  int // that are not listed
}

func (f *findings) entry(i item, path, code, format string, args ...any) {
	if len(f.items) == maxFindings {
		f.more++
		return
	}
	f.items = append(f.items, fault.Item{
		ResourceType: string(content.ResourceEntry), ResourceID: string(i.entry), Path: path, Code: code, Message: fmt.Sprintf(format, args...),
	})
}

// refusal is the fault about everything that was found, if anything was.
func (r *release) refusal() error {
	f := &r.found
	if len(f.items) == 0 {
		return nil
	}
	listed := ""
	if f.more > 0 {
		listed = fmt.Sprintf(", of which %d are listed", len(f.items))
	}
	return &fault.Error{
		Code:   fault.PublishValidationFailed,
		Detail: fmt.Sprintf("the change set has %s%s; the first: %s", schema.Count(len(f.items)+f.more, "fault"), listed, f.items[0]),
		Items:  f.items,
	}
}

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
