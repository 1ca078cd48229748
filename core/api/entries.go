package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/entry"
	"svc/shared/content"
)

// entryBody is the management view of an entry: its published and its draft head.
type entryBody struct {
	ID                      content.EntryID     `json:"id"`
	Collection              string              `json:"collection"`
	Slug                    *string             `json:"slug"`
	Status                  entry.Status        `json:"status"`
	PublishedRevisionID     *content.RevisionID `json:"publishedRevisionId"`
	LastPublishedRevisionID *content.RevisionID `json:"lastPublishedRevisionId"`
	DraftRevisionID         *content.RevisionID `json:"draftRevisionId"`
	PublishedAt             stamp               `json:"publishedAt"`
	UnpublishedAt           stamp               `json:"unpublishedAt"`
	DeletedAt               stamp               `json:"deletedAt"`
	CreatedBy               *string             `json:"createdBy"`
	CreatedAt               stamp               `json:"createdAt"`
	Published               *headBody           `json:"published"`
	Draft                   *headBody           `json:"draft"`
	Staged                  *content.Operation  `json:"staged,omitempty"`
}

// headBody is a state of an entry.
type headBody struct {
	Revision content.RevisionID `json:"revision"`
	Slug     *string            `json:"slug"`
	Fields   jsontext.Value     `json:"fields"`
}

func headOf(r *entry.Revision) *headBody {
	if r == nil {
		return nil
	}
	return &headBody{r.ID, r.Slug, r.Fields}
}

func entryOf(e *entry.Entry) entryBody {
	body := entryBody{
		ID: e.ID, Collection: e.Collection, Status: e.Status, PublishedRevisionID: e.PublishedRevisionID,
		LastPublishedRevisionID: e.LastPublishedRevisionID, DraftRevisionID: e.DraftRevisionID,
		PublishedAt: stamp(e.PublishedAt), UnpublishedAt: stamp(e.UnpublishedAt), DeletedAt: stamp(e.DeletedAt),
		CreatedBy: orNull(e.CreatedBy), CreatedAt: stamp(e.CreatedAt), Published: headOf(e.Published), Draft: headOf(e.Draft),
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

type revisionBody struct {
	ID            content.RevisionID   `json:"id"`
	Entry         content.EntryID      `json:"entryId"`
	Parent        *content.RevisionID  `json:"parentRevisionId"`
	Slug          *string              `json:"slug"`
	Fields        jsontext.Value       `json:"fields"`
	SchemaVersion uint32               `json:"schemaVersion"`
	ChangeSet     *content.ChangeSetID `json:"changeSetId"`
	ChangeSummary string               `json:"changeSummary"`
	CreatedBy     *string              `json:"createdBy"`
	CreatedAt     stamp                `json:"createdAt"`
}

func revisionOf(r *entry.Revision) revisionBody {
	return revisionBody{
		r.ID, r.Entry, r.Parent, r.Slug, r.Fields, r.SchemaVersion, orNull(r.ChangeSet), r.ChangeSummary, orNull(r.CreatedBy),
		stamp(r.CreatedAt),
	}
}

// writtenBody is what a write made: the entry, its new revision, and the change set that it joined.
type writtenBody struct {
	Entry     entryBody     `json:"entry"`
	Revision  revisionBody  `json:"revision"`
	ChangeSet changeSetBody `json:"changeSet"`
}

func writtenResult(w *entry.Written, err error) (writtenBody, error) {
	if err != nil {
		return writtenBody{}, err
	}
	return writtenBody{entryOf(w.Entry), revisionOf(w.Revision), changeSetOf(*w.ChangeSet)}, nil
}

type newEntry struct {
	Data          jsontext.Value `json:"data"`
	Slug          *string        `json:"slug"`
	ChangeSetID   *string        `json:"changeSetId"`
	ChangeSummary string         `json:"changeSummary"`
}

func createEntry(c *call, in newEntry) (writtenBody, error) {
	set, err := named("changeSetId", in.ChangeSetID)
	if err != nil {
		return writtenBody{}, err
	}
	return writtenResult(entry.Create(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), entry.Write{
		Data: in.Data, Slug: in.Slug, ChangeSet: set, ChangeSummary: in.ChangeSummary,
	}))
}

type entryPatch struct {
	Data               jsontext.Value   `json:"data"`
	Slug               optional[string] `json:"slug"`
	ChangeSetID        optional[string] `json:"changeSetId"`
	ChangeSummary      optional[string] `json:"changeSummary"`
	ExpectedRevisionID optional[string] `json:"expectedRevisionId"`
}

func patchEntry(c *call, in entryPatch) (writtenBody, error) {
	set, err := named("changeSetId", in.ChangeSetID.value)
	if err != nil {
		return writtenBody{}, err
	}
	expected, err := named("expectedRevisionId", in.ExpectedRevisionID.value)
	if err != nil {
		return writtenBody{}, err
	}
	return writtenResult(entry.Patch(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), entry.Write{
		Data: in.Data, Slug: in.Slug.value, ChangeSet: set, ChangeSummary: deref(in.ChangeSummary.value), Expected: expected,
	}))
}

func listEntries(c *call) (listing[entryBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[entryBody]{}, err
	}
	filter := entry.Filter{Collection: c.query.Get("collection"), Status: entry.Status(c.query.Get("status"))}
	list, err := entry.List(c.ctx(), c.server.Pool, c.actor, c.project.ID, filter, page)
	return listingOf(list, entryOf, err)
}

func getEntry(c *call) (entryBody, error) {
	e, err := entry.Get(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId"))
	if err != nil {
		return entryBody{}, err
	}
	return entryOf(e), nil
}

func listRevisions(c *call) (listing[revisionBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[revisionBody]{}, err
	}
	list, err := entry.Revisions(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), page)
	return listingOf(list, revisionOf, err)
}

func getRevision(c *call) (revisionBody, error) {
	r, err := entry.GetRevision(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.param("revision"))
	if err != nil {
		return revisionBody{}, err
	}
	return revisionOf(r), nil
}

func unpublishEntry(c *call) (stagedBody, error) {
	return stagedResult(entry.Unpublish(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId")))
}

func deleteEntry(c *call) (stagedBody, error) {
	return stagedResult(entry.Delete(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"), c.query.Get("changeSetId")))
}

func discardDraft(c *call) (entryBody, error) {
	e, err := entry.Discard(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("entry"))
	if err != nil {
		return entryBody{}, err
	}
	return entryOf(e), nil
}

// stagedBody is what was staged, and the change set that it joined.
type stagedBody struct {
	ChangeSet content.ChangeSetID `json:"changeSetId"`
	Staged    content.Operation   `json:"staged"`
}

func stagedResult(s entry.Staged, err error) (stagedBody, error) {
	return stagedBody{s.ChangeSet, s.Operation}, err
}
