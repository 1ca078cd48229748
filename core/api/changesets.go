package api

import (
	"svc/core/changeset"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/problem"
)

func changeSetOf(s changeset.ChangeSet) wire.ChangeSet {
	body := wire.ChangeSet{
		ID: s.ID, Title: s.Title, Description: s.Description, Status: s.Status, CreatedBy: orNull(s.CreatedBy),
		CreatedAt: wire.Time{Time: s.CreatedAt}, UpdatedAt: wire.Time{Time: s.UpdatedAt},
	}
	if s.ReleaseNumber > 0 {
		body.ReleaseNumber = &s.ReleaseNumber
	}
	return body
}

// changeSetResult answers with a set, or with the failure to get it.
func changeSetResult(s *changeset.ChangeSet, err error) (wire.ChangeSet, error) {
	if err != nil {
		return wire.ChangeSet{}, err
	}
	return changeSetOf(*s), nil
}

func listChangeSets(c *call) (wire.List[wire.ChangeSet], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.ChangeSet]{}, err
	}
	list, err := changeset.List(c.ctx(), c.server.Pool, c.project.ID, content.ChangeSetStatus(c.query.Get("status")), page)
	return listingOf(list, changeSetOf, err)
}

func createChangeSet(c *call, in wire.NewChangeSet) (wire.ChangeSet, error) {
	return changeSetResult(changeset.Create(c.ctx(), c.server.Pool, c.actor, c.project.ID, changeset.NewChangeSet(in)))
}

func getChangeSet(c *call) (wire.ChangeSet, error) {
	return changeSetResult(changeset.Get(c.ctx(), c.server.Pool, c.project.ID, c.param("changeSet")))
}

// updateChangeSet, closeChangeSet, validateChangeSet and publishChangeSet are about the set as a whole: a key confined to
// collections must cover everything that it stages.
func updateChangeSet(c *call, in wire.ChangeSetEdit) (wire.ChangeSet, error) {
	edit := changeset.Edit{Title: in.Title.Value, Description: in.Description.Text, Status: in.Status.Value}
	return changeSetResult(changeset.Patch(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), edit))
}

func closeChangeSet(c *call) (wire.ChangeSet, error) {
	return changeSetResult(changeset.Close(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet")))
}

// listItems shows a key confined to collections its items alone.
func listItems(c *call) (wire.List[wire.Item], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.Item]{}, err
	}
	list, err := changeset.Items(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), page)
	return listingOf(list, func(i changeset.Item) wire.Item {
		return wire.Item{
			ResourceType: i.ResourceType, ResourceID: i.ResourceID, Operation: i.Operation, BaseRevisionID: i.BaseRevisionID, TargetRevisionID: i.TargetRevisionID, Collection: i.Collection, Slug: i.Slug,
			ChangeSummary: i.ChangeSummary, StagedAt: wire.Time{Time: i.StagedAt},
		}
	}, err)
}

// unstageItem takes out one item, of a collection that the key covers.
func unstageItem(c *call) (wire.ChangeSet, error) {
	return changeSetResult(changeset.Unstage(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), c.param("resource")))
}

func warningsOf(found []changeset.Warning) []wire.Warning {
	warnings := make([]wire.Warning, len(found))
	for i, w := range found {
		warnings[i] = wire.Warning(w)
	}
	return warnings
}

// validateChangeSet answers with the detail of the problem that a publish would be refused with too: an empty set has no entry
// that an error could be about.
func validateChangeSet(c *call) (wire.Validation, error) {
	found, err := changeset.Validate(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"))
	if err != nil {
		return wire.Validation{}, err
	}
	return wire.Validation{Valid: found.Detail == "", Detail: found.Detail, Errors: problem.Issues(found.Errors), Warnings: warningsOf(found.Warnings)}, nil
}

func publishChangeSet(c *call, in wire.Confirmation) (wire.Published, error) {
	out, err := changeset.Publish(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), in.Confirm)
	if err != nil {
		return wire.Published{}, err
	}
	c.awaitEdges(string(c.project.ID), out.Position.Seq)
	return wire.Published{ChangeSet: changeSetOf(*out.ChangeSet), Entries: out.EntryIDs, Warnings: warningsOf(out.Warnings)}, nil
}
