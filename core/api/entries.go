package api

import (
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/search"
)

func headOf(r *entry.Revision) *wire.Head {
	if r == nil {
		return nil
	}
	return &wire.Head{Revision: r.ID, Slug: r.Slug, Fields: r.Fields}
}

func entryOf(e *entry.Entry) wire.Entry {
	body := wire.Entry{
		ID: e.ID, Collection: e.Collection, Status: string(e.Status), PublishedRevisionID: e.PublishedRevisionID,
		LastPublishedRevisionID: e.LastPublishedRevisionID, DraftRevisionID: e.DraftRevisionID,
		PublishedAt: wire.Time{Time: e.PublishedAt}, UnpublishedAt: wire.Time{Time: e.UnpublishedAt}, DeletedAt: wire.Time{Time: e.DeletedAt},
		CreatedBy: orNull(e.CreatedBy), CreatedAt: wire.Time{Time: e.CreatedAt}, Published: headOf(e.Published), Draft: headOf(e.Draft),
	}
	for _, r := range []*entry.Revision{e.Published, e.Draft} { // the draft's slug is what editors call the entry by
		if r != nil {
			body.Slug = r.Slug
		}
	}
	if e.Staged != nil {
		body.Staged = &e.Staged.Operation
	}
	return body
}

func revisionOf(r *entry.Revision) wire.Revision {
	return wire.Revision{
		ID: r.ID, Entry: r.Entry, Parent: r.Parent, Slug: r.Slug, Fields: r.Fields, SchemaVersion: r.SchemaVersion, ChangeSet: orNull(r.ChangeSet), ChangeSummary: r.ChangeSummary, CreatedBy: orNull(r.CreatedBy),
		CreatedAt: wire.Time{Time: r.CreatedAt}, ReleaseNumber: r.Release,
	}
}

func writtenOf(w *entry.Written) wire.Written {
	return wire.Written{Entry: entryOf(w.Entry), Revision: revisionOf(w.Revision), ChangeSet: changeSetOf(*w.ChangeSet)}
}

func stagedOf(s entry.Staged) wire.Staged {
	return wire.Staged{ChangeSet: s.ChangeSet, Staged: s.Operation}
}

func createEntry(c *call, in wire.NewEntry) (wire.Written, error) {
	set, err := named("changeSetId", in.ChangeSetID)
	if err != nil {
		return wire.Written{}, err
	}
	return as(writtenOf)(entry.Create(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), entry.Write{
		Data: in.Data, Slug: in.Slug, ChangeSet: set, ChangeSummary: in.ChangeSummary,
	}))
}

func patchEntry(c *call, in wire.EntryEdit) (wire.Written, error) {
	set, err := named("changeSetId", in.ChangeSetID.Value)
	if err != nil {
		return wire.Written{}, err
	}
	expected, err := named("expectedRevisionId", in.ExpectedRevisionID.Value)
	if err != nil {
		return wire.Written{}, err
	}
	return as(writtenOf)(entry.Patch(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), entry.Write{
		Data: in.Data, Slug: in.Slug.Value, ChangeSet: set, ChangeSummary: deref(in.ChangeSummary.Value), Expected: expected,
	}))
}

func listEntries(c *call) (wire.List[wire.Entry], error) {
	filter, err := entryFilter(c)
	if err != nil {
		return wire.List[wire.Entry]{}, err
	}
	return pageOf(entryOf)(entry.List(c.ctx(), c.server.Pool, c.actor, c.project.ID, filter, c.page()))
}

func entryFilter(c *call) (f entry.Filter, err error) {
	f.Collection, f.Status, f.Slug = c.query.Get("collection"), entry.Status(c.query.Get("status")), c.query.Get("slug")
	if f.Search, err = search.Parse(c.query.Get("q")); err != nil {
		return f, err
	}
	if text := c.query.Get("updatedSince"); text != "" {
		since, err := schema.ParseDatetime(text)
		if err != nil {
			return f, fault.Invalid("updatedSince", "%v", err)
		}
		f.UpdatedSince = &since
	}
	if by := c.query.Get("updatedBy"); by != "" {
		if !content.IsID[content.UserID](by) && !content.IsID[content.KeyID](by) {
			return f, fault.Invalid("updatedBy", "must be the id of a user (usr_…) or of an API key (key_…), as createdBy of a revision is")
		}
		f.UpdatedBy = &by
	}
	return f, nil
}

// getEntry answers with the change sets that stage the entry too.
func getEntry(c *call) (wire.EntryInSets, error) {
	e, err := entry.Get(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId"))
	if err != nil {
		return wire.EntryInSets{}, err
	}
	sets, contended, err := changeset.Contention(c.ctx(), c.server.Pool, c.project, e.Collection, e.ID)
	if err != nil {
		return wire.EntryInSets{}, err
	}
	out := wire.EntryInSets{Entry: entryOf(e), OpenChangeSets: make([]wire.OpenChangeSet, len(sets)), ContendedFields: make([]wire.ContendedField, len(contended))}
	for i, s := range sets {
		open := wire.OpenChangeSet{ID: s.ID, Title: s.Title, Status: s.Status}
		if !s.Operation.Publishes() {
			open.Operation = s.Operation
		}
		for _, p := range s.Fields {
			open.Fields = append(open.Fields, p.InEntry())
		}
		out.OpenChangeSets[i] = open
	}
	for i, f := range contended {
		out.ContendedFields[i] = wire.ContendedField{Path: f.Path.InEntry(), ChangeSetIDs: f.Sets}
	}
	return out, nil
}

func listRevisions(c *call) (wire.List[wire.Revision], error) {
	return pageOf(revisionOf)(entry.Revisions(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.page()))
}

func getRevision(c *call) (wire.Revision, error) {
	return as(revisionOf)(entry.GetRevision(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.param("revision")))
}

func referencesOfEntry(c *call) (wire.References, error) {
	found, err := entry.ReferencesOf(c.ctx(), c.server.Pool, c.actor, c.project, c.param("entry"))
	if err != nil {
		return wire.References{}, err
	}
	out := wire.References{ReferencedBy: make([]wire.Referrer, len(found.ReferencedBy)), References: make([]wire.Referred, len(found.References))}
	for i, r := range found.ReferencedBy {
		out.ReferencedBy[i] = wire.Referrer(r)
	}
	for i, r := range found.References {
		out.References[i] = wire.Referred{ID: r.ID, Collection: orNull(r.Collection), Slug: r.Slug, Exists: r.Exists, Published: r.Published}
	}
	return out, nil
}

func restoreEntry(c *call, in wire.Restoration) (wire.Written, error) {
	if in.RevisionID == "" {
		return wire.Written{}, fault.Invalid("revisionId", "is missing; name the revision to restore (rev_…)")
	}
	set, err := named("changeSetId", in.ChangeSetID.Value)
	if err != nil {
		return wire.Written{}, err
	}
	return as(writtenOf)(entry.Restore(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), in.RevisionID, set))
}

func undeleteEntry(c *call, in wire.Target) (wire.Written, error) {
	set, err := named("changeSetId", in.ChangeSetID.Value)
	if err != nil {
		return wire.Written{}, err
	}
	return as(writtenOf)(entry.Undelete(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), set))
}

func duplicateEntry(c *call, in wire.Target) (wire.Written, error) {
	set, err := named("changeSetId", in.ChangeSetID.Value)
	if err != nil {
		return wire.Written{}, err
	}
	return as(writtenOf)(entry.Duplicate(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), set))
}

func unpublishEntry(c *call) (wire.Staged, error) {
	return as(stagedOf)(entry.Unpublish(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId")))
}

func deleteEntry(c *call) (wire.Staged, error) {
	return as(stagedOf)(entry.Delete(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId")))
}

func discardDraft(c *call) (wire.Entry, error) {
	return as(entryOf)(entry.Discard(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry")))
}

// reorderEntries changes the editorial order of a collection, live and without a revision.
func reorderEntries(c *call, in wire.Arrangement) (wire.Reordered, error) {
	if (in.Order == nil) == (in.Move == nil) {
		return wire.Reordered{}, fault.Invalid("order", "give either order, the whole arrangement, or move, one step")
	}
	ask := entry.Arrangement{Order: deref(in.Order)}
	if in.Move != nil {
		ask.Move = new(entry.Move(*in.Move))
	}
	changed, err := entry.Reorder(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), ask)
	if err != nil {
		return wire.Reordered{}, err
	}
	moved, unarranged := []content.EntryID{}, []content.EntryID{}
	for _, r := range changed {
		moved = append(moved, r.Entry)
		if r.Rank == "" {
			unarranged = append(unarranged, r.Entry)
		}
	}
	return wire.Reordered{Moved: moved, Unarranged: unarranged}, nil
}
