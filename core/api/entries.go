package api

import (
	"svc/core/entry"
	"svc/core/wire"
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
		CreatedAt: wire.Time{Time: r.CreatedAt},
	}
}

func writtenResult(w *entry.Written, err error) (wire.Written, error) {
	if err != nil {
		return wire.Written{}, err
	}
	return wire.Written{Entry: entryOf(w.Entry), Revision: revisionOf(w.Revision), ChangeSet: changeSetOf(*w.ChangeSet)}, nil
}

func createEntry(c *call, in wire.NewEntry) (wire.Written, error) {
	set, err := named("changeSetId", in.ChangeSetID)
	if err != nil {
		return wire.Written{}, err
	}
	return writtenResult(entry.Create(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), entry.Write{
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
	return writtenResult(entry.Patch(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), entry.Write{
		Data: in.Data, Slug: in.Slug.Value, ChangeSet: set, ChangeSummary: deref(in.ChangeSummary.Value), Expected: expected,
	}))
}

func listEntries(c *call) (wire.List[wire.Entry], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.Entry]{}, err
	}
	filter := entry.Filter{Collection: c.query.Get("collection"), Status: entry.Status(c.query.Get("status"))}
	list, err := entry.List(c.ctx(), c.server.Pool, c.actor, c.project.ID, filter, page)
	return listingOf(list, entryOf, err)
}

func getEntry(c *call) (wire.Entry, error) {
	e, err := entry.Get(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId"))
	if err != nil {
		return wire.Entry{}, err
	}
	return entryOf(e), nil
}

func listRevisions(c *call) (wire.List[wire.Revision], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.Revision]{}, err
	}
	list, err := entry.Revisions(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), page)
	return listingOf(list, revisionOf, err)
}

func getRevision(c *call) (wire.Revision, error) {
	r, err := entry.GetRevision(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.param("revision"))
	if err != nil {
		return wire.Revision{}, err
	}
	return revisionOf(r), nil
}

func unpublishEntry(c *call) (wire.Staged, error) {
	return stagedResult(entry.Unpublish(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId")))
}

func deleteEntry(c *call) (wire.Staged, error) {
	return stagedResult(entry.Delete(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId")))
}

func discardDraft(c *call) (wire.Entry, error) {
	e, err := entry.Discard(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"))
	if err != nil {
		return wire.Entry{}, err
	}
	return entryOf(e), nil
}

func stagedResult(s entry.Staged, err error) (wire.Staged, error) {
	return wire.Staged{ChangeSet: s.ChangeSet, Staged: s.Operation}, err
}
