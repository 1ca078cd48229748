package api

import (
	"slices"

	"svc/core/changeset"
	"svc/core/diff"
	"svc/core/entry"
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

func listChangeSets(c *call) (wire.List[wire.ChangeSet], error) {
	return pageOf(changeSetOf)(changeset.List(c.ctx(), c.server.Pool, c.project.ID, content.ChangeSetStatus(c.query.Get("status")), c.page()))
}

func createChangeSet(c *call, in wire.NewChangeSet) (wire.ChangeSet, error) {
	return ofPointer(changeSetOf)(changeset.Create(c.ctx(), c.server.Pool, c.actor, c.project.ID, changeset.NewChangeSet(in)))
}

func getChangeSet(c *call) (wire.ChangeSet, error) {
	return ofPointer(changeSetOf)(changeset.Get(c.ctx(), c.server.Pool, c.project.ID, c.param("changeSet")))
}

// updateChangeSet, closeChangeSet, validateChangeSet and publishChangeSet are about the set as a whole: a key confined to
// collections must cover everything that it stages.
func updateChangeSet(c *call, in wire.ChangeSetEdit) (wire.ChangeSet, error) {
	edit := changeset.Edit{Title: in.Title.Value, Description: in.Description.Text, Status: in.Status.Value}
	return ofPointer(changeSetOf)(changeset.Patch(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), edit))
}

func closeChangeSet(c *call) (wire.ChangeSet, error) {
	return ofPointer(changeSetOf)(changeset.Close(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet")))
}

func itemOf(i changeset.Item) wire.Item {
	return wire.Item{
		ResourceType: i.ResourceType, ResourceID: i.ResourceID, Operation: i.Operation, BaseRevisionID: i.BaseRevisionID, TargetRevisionID: i.TargetRevisionID,
		Collection: i.Collection, Slug: i.Slug, ChangeSummary: i.ChangeSummary, StagedAt: wire.Time{Time: i.StagedAt},
		StaleSince: i.StaleSince,
	}
}

// listItems shows a key confined to collections its items alone.
func listItems(c *call) (wire.List[wire.Item], error) {
	return pageOf(itemOf)(changeset.Items(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), c.page()))
}

func changesOf(all []diff.Change) []wire.Change {
	out := make([]wire.Change, len(all))
	for i, c := range all {
		out[i] = wire.Change{Path: c.Path.InEntry(), Before: c.Before, After: c.After, Kind: string(c.Kind)}
		for _, s := range c.Segments {
			out[i].Segments = append(out[i].Segments, wire.Segment{Op: string(s.Op), Value: s.Value})
		}
	}
	return out
}

func itemDiffOf(d changeset.ItemDiff) wire.ItemDiff {
	return wire.ItemDiff{Item: itemOf(d.Item), Changes: changesOf(d.Changes)}
}

// diffChangeSet shows a key confined to collections its items alone.
func diffChangeSet(c *call) (wire.List[wire.ItemDiff], error) {
	return pageOf(itemDiffOf)(changeset.Diff(c.ctx(), c.server.Pool, c.actor, c.project, c.param("changeSet"), c.page()))
}

// rebaseChangeSet is about the set as a whole.
func rebaseChangeSet(c *call, in wire.Rebase) (wire.Rebased, error) {
	on, dryRun := entry.Fail, in.DryRun.Value != nil && *in.DryRun.Value
	if in.OnConflict.Value != nil {
		on = entry.OnConflict(*in.OnConflict.Value)
	}
	r, err := entry.Rebase(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), on, dryRun)
	if err != nil {
		return wire.Rebased{}, err
	}
	out := wire.Rebased{
		ChangeSet: changeSetOf(*r.ChangeSet), DryRun: dryRun, Items: make([]wire.RebasedItem, len(r.Items)),
		Stale: slices.Concat([]content.EntryID{}, r.Stale), Errors: problem.Issues(r.Errors),
	}
	for i, item := range r.Items {
		out.Items[i] = wire.RebasedItem{
			ResourceType: content.ResourceEntry, ResourceID: string(item.Entry), Collection: item.Collection, Slug: item.Slug, BaseRevisionID: item.Base, TargetRevisionID: item.Target,
			Replayed: changesOf(item.Replayed), Agreed: changesOf(item.Agreed), Conflicts: make([]wire.RebaseConflict, len(item.Conflicts)),
		}
		for n, f := range item.Conflicts {
			out.Items[i].Conflicts[n] = wire.RebaseConflict{Path: f.Path.InEntry(), Base: f.Base, Mine: f.Mine, Theirs: f.Theirs, Reason: string(f.Reason)}
		}
	}
	return out, nil
}

// unstageItem takes out one item, of a collection that the key covers.
func unstageItem(c *call) (wire.ChangeSet, error) {
	return ofPointer(changeSetOf)(changeset.Unstage(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), c.param("resource")))
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
	return as(func(v *changeset.Validation) wire.Validation {
		return wire.Validation{Valid: v.Detail == "", Detail: v.Detail, Errors: problem.Issues(v.Errors), Warnings: warningsOf(v.Warnings)}
	})(changeset.Validate(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet")))
}

func publishChangeSet(c *call, in wire.Confirmation) (wire.Published, error) {
	out, err := changeset.Publish(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), in.Confirm)
	if err != nil {
		return wire.Published{}, err
	}
	c.awaitEdges(string(c.project.ID), out.Position.Seq)
	return wire.Published{ChangeSet: changeSetOf(*out.ChangeSet), Entries: out.EntryIDs, Warnings: warningsOf(out.Warnings)}, nil
}

func releaseOf(r changeset.Release) wire.Release {
	return wire.Release{Number: r.Number, Title: r.Title, ChangeSet: r.ChangeSet, PublishedAt: wire.Time{Time: r.PublishedAt}, CreatedBy: orNull(r.CreatedBy), ItemCount: r.ItemCount}
}

func listReleases(c *call) (wire.List[wire.Release], error) {
	return pageOf(releaseOf)(changeset.ListReleases(c.ctx(), c.server.Pool, c.project.ID, c.page()))
}

// getRelease answers with a release, by its number or its change set, and everything it did: at most as many items
// as a release holds. A key confined to collections is shown its items alone; itemCount stays that of the release.
func getRelease(c *call) (wire.ReleaseWithItems, error) {
	r, found, err := changeset.GetRelease(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("release"))
	if err != nil {
		return wire.ReleaseWithItems{}, err
	}
	items := make([]wire.ReleaseItem, len(found))
	for i, item := range found {
		items[i] = wire.ReleaseItem(item)
	}
	return wire.ReleaseWithItems{Release: releaseOf(*r), Items: items}, nil
}

// revertRelease drafts a change set; it publishes nothing.
func revertRelease(c *call, in wire.Revert) (wire.ChangeSet, error) {
	force := in.Force.Value != nil && *in.Force.Value
	return ofPointer(changeSetOf)(entry.Revert(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("release"), deref(in.Title.Value), force))
}
