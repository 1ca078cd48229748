package entry_test

import (
	"strings"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/fault"
)

// An orphaned draft can keep a schema from being pushed, and nothing else shows it: the push names it, and it can be
// discarded. Drafts of change sets and entries that were published go by change sets.
func TestOrphanedDraftsAreNamedAndDiscarded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	discard := func(id string) error {
		_, err := entry.Discard(t.Context(), b.Pool, b.Actor, b.ID, id)
		return err
	}
	live := b.Published("authors", `{"name": "Published"}`)
	closed := b.Set("closed")
	orphan := b.Create(closed, "authors", `{"name": "Orphaned"}`).Entry
	other := b.Create(closed, "authors", `{"name": "Other"}`).Entry
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
	b.OK(err)
	staged := b.Patch(b.Set("open"), other.ID, `{"name": "Staged"}`)

	stricter := strings.Replace(entrytest.Authors, `"required": true`, `"required": true, "maxLength": 7`, 1)
	proposal := entrytest.Proposal(entrytest.Posts, stricter)
	_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, proposal)
	const way = "this draft belongs to no open change set"
	for _, i := range b.Refused(err, fault.ValidationFailed).Items {
		if told := strings.Contains(i.Message, way); told != (i.ResourceID == string(orphan.ID)) || told && !strings.Contains(i.Message, "/entries/"+i.ResourceID+"/draft") {
			t.Errorf("%s: %s", i.ResourceID, i.Message)
		}
	}
	out, err := schemadeploy.Diff(t.Context(), b.Pool, b.Actor, b.ID, proposal.Collections)
	b.OK(err)
	if n := out.ContentErrorCount; n != 2 || !strings.Contains(out.ContentErrors[1].Message, way) {
		t.Errorf("%+v", out.ContentErrors)
	}

	if f := b.Refused(discard(string(other.ID)), fault.Conflict); len(f.ChangeSetIDs) != 1 || f.ChangeSetIDs[0] != string(staged.ChangeSet.ID) {
		t.Errorf("%+v", f)
	}
	b.Refused(discard(string(live.ID)), fault.Conflict)
	b.Refused(discard("ent_00000000000000000000000000"), fault.NotFound)
	b.OK(discard(string(orphan.ID)))
	b.Refused(discard(string(orphan.ID)), fault.Conflict)
	if e := b.Get(orphan.ID); e.Status != entry.StatusDeleted {
		t.Errorf("%+v", e)
	}
	b.Publish(b.Patch(nil, live.ID, `{"name": "Short"}`).ChangeSet)
	b.Push(entrytest.Posts, stricter)
}
