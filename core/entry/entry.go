// Package entry owns entries and their revisions: every write makes an immutable revision and stages it in a change
// set; nothing here touches what is published (interface, "Entry write targeting rules").
//
// An import follows these rules row by row. Where a row is not valid, nothing of the import is staged. A row that is valid but
// has no single place to go, its entry being in several open sets or its slug that of several drafts, is a conflict of its own:
// it is left out, its result names the candidates, and the others are staged. A dry run tells the same outcomes.
//
// Writes lock change sets first, then the project, which they share, then entries; several of a kind in the order of their ids.
package entry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

// Status is where an entry stands.
type Status string

const (
	StatusDraft       Status = "draft"       // never published
	StatusPublished   Status = "published"   // published; as a filter, changed ones too
	StatusChanged     Status = "changed"     // published, and staged as an update in an open or ready set
	StatusUnpublished Status = "unpublished" // published once, not now
	StatusDeleted     Status = "deleted"
)

// Revision is one immutable state of an entry's content.
type Revision struct {
	ID            content.RevisionID
	Entry         content.EntryID
	Parent        *content.RevisionID // what it was made from; nil for a first one
	SchemaVersion uint32
	Slug          *string        // nil where the entry has none
	Fields        jsontext.Value // canonical JSON object
	ChangeSet     content.ChangeSetID
	ChangeSummary string
	CreatedBy     string // empty: the system
	CreatedAt     time.Time
	Release       uint64 // that published it, of a revision that was read by itself; 0: none
}

// Entry is an entry with its heads.
type Entry struct {
	ID         content.EntryID
	Project    content.ProjectID
	Collection string
	Status     Status

	PublishedRevisionID     *content.RevisionID
	LastPublishedRevisionID *content.RevisionID
	DraftRevisionID         *content.RevisionID

	Published *Revision // nil while not published
	Draft     *Revision // the newest draft head, or that of the change set asked for; may be the published one
	// Staged is what the change set asked for proposes; nil where none was asked for or it stages nothing here.
	Staged *changeset.Proposal

	PublishedAt   time.Time // zero: never
	UnpublishedAt time.Time // zero: it is published, never was, or was deleted while it was
	DeletedAt     time.Time // zero: not deleted
	Rank          string    // editorial position; empty: not arranged
	CreatedBy     string    // empty: the system
	CreatedAt     time.Time
}

// Written is what a write brought about.
type Written struct {
	Entry     *Entry
	Revision  *Revision
	ChangeSet *changeset.ChangeSet
}

// Get returns an entry with its published and draft heads. With a change set, Draft is what that set proposes, and
// nil where it proposes none.
func Get(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, id string, changeSet string) (*Entry, error) {
	e, err := read(ctx, q, project, id)
	if err != nil {
		return nil, err
	}
	if err := access.Confine(actor, e.Collection); err != nil {
		return nil, err
	}
	if changeSet == "" {
		return e, nil
	}
	e.Staged, e.Draft, err = proposed(ctx, q, e, changeSet)
	return e, err
}

// proposed returns what a change set proposes for an entry, with its draft; nil where it proposes none.
func proposed(ctx context.Context, q postgres.Querier, e *Entry, changeSet string) (*changeset.Proposal, *Revision, error) {
	set, err := changeset.Get(ctx, q, e.Project, changeSet)
	if err != nil {
		return nil, nil, err
	}
	proposal, staged, err := changeset.Proposed(ctx, q, set.ID, e.ID)
	if err != nil || !staged {
		return nil, nil, err
	}
	if proposal.Target == nil {
		return &proposal, nil, nil
	}
	draft, err := revision(ctx, q, e.ID, string(*proposal.Target))
	return &proposal, draft, err
}

const selectEntry = `
	SELECT e.id, e.project_id, e.collection, e.published_revision_id, e.last_published_revision_id, e.draft_revision_id,
	       coalesce(e.rank, ''), coalesce(e.created_by, ''), e.created_at, l.published_at, e.unpublished_at, e.deleted_at,
	       e.published_revision_id IS NOT NULL AND EXISTS (
	         SELECT FROM change_set_item i
	         WHERE i.resource_type = 'entry' AND i.resource_id = e.id AND i.live AND i.operation = 'update'),
	       p.parent_id, p.schema_version, p.slug, p.fields, p.change_set_id, p.change_summary, p.created_by, p.created_at,
	       d.parent_id, d.schema_version, d.slug, d.fields, d.change_set_id, d.change_summary, d.created_by, d.created_at
	FROM entry e
	LEFT JOIN revision p ON p.id = e.published_revision_id
	LEFT JOIN revision d ON d.id = e.draft_revision_id AND d.id IS DISTINCT FROM e.published_revision_id
	LEFT JOIN release l ON l.project_id = e.project_id AND l.number = e.published_release`

// inForce holds for an entry e whose collection is deployed. The entries of one that was removed are kept, for the case
// that it comes back, but no one finds them.
const inForce = `EXISTS (SELECT FROM collection c
	WHERE c.project_id = e.project_id AND c.name = e.collection AND c.removed_at IS NULL)`

func read(ctx context.Context, q postgres.Querier, project content.ProjectID, id string) (*Entry, error) {
	rows, err := q.Query(ctx, selectEntry+` WHERE e.id = $1 AND e.project_id = $2 AND `+inForce, id, project)
	if err != nil {
		return nil, fmt.Errorf("reading an entry: %w", err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, scanEntry)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, missing(id)
	}
	if err != nil {
		return nil, fmt.Errorf("reading an entry: %w", err)
	}
	return e, nil
}

func missing(id string) error {
	return fault.New(fault.NotFound, "there is no entry %q in the project", id)
}

func scanEntry(row pgx.CollectableRow) (*Entry, error) {
	var e Entry
	var published, unpublished, deleted *time.Time
	var changed bool
	var p, d nullRevision
	dest := []any{&e.ID, &e.Project, &e.Collection, &e.PublishedRevisionID, &e.LastPublishedRevisionID, &e.DraftRevisionID,
		&e.Rank, &e.CreatedBy, &e.CreatedAt, &published, &unpublished, &deleted, &changed}
	if err := row.Scan(append(append(dest, p.dest()...), d.dest()...)...); err != nil {
		return nil, err
	}
	e.PublishedAt, e.UnpublishedAt, e.DeletedAt = orZero(published), orZero(unpublished), orZero(deleted)
	e.Published = p.revision(e.ID, e.PublishedRevisionID)
	e.Draft = d.revision(e.ID, e.DraftRevisionID)
	if e.Draft == nil {
		e.Draft = e.Published
	}
	e.Status = e.status(changed)
	return &e, nil
}

func (e *Entry) status(changed bool) Status {
	switch {
	case !e.DeletedAt.IsZero():
		return StatusDeleted
	case changed:
		return StatusChanged
	case e.PublishedRevisionID != nil:
		return StatusPublished
	case e.LastPublishedRevisionID != nil:
		return StatusUnpublished
	}
	return StatusDraft
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
