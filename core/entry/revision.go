package entry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/diff"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

// nullRevision scans the columns of a revision that an outer join may have left null.
type nullRevision struct {
	parent             *content.RevisionID
	version            *uint32
	slug               *string
	fields             []byte
	set                *content.ChangeSetID
	summary, createdBy *string
	createdAt          *time.Time
}

func (n *nullRevision) dest() []any {
	return []any{&n.parent, &n.version, &n.slug, &n.fields, &n.set, &n.summary, &n.createdBy, &n.createdAt}
}

func (n *nullRevision) revision(entry content.EntryID, id *content.RevisionID) *Revision {
	if id == nil || n.version == nil {
		return nil
	}
	r := &Revision{
		ID: *id, Entry: entry, Parent: n.parent, SchemaVersion: *n.version, Slug: n.slug, Fields: n.fields,
		ChangeSummary: *n.summary, CreatedAt: n.createdAt.UTC(),
	}
	if n.set != nil {
		r.ChangeSet = *n.set
	}
	if n.createdBy != nil {
		r.CreatedBy = *n.createdBy
	}
	return r
}

const selectRevision = `
	SELECT id, parent_id, schema_version, slug, fields, change_set_id, change_summary, created_by, created_at,
	       coalesce((SELECT min(from_release) FROM publication p WHERE p.entry_id = r.entry_id AND p.revision_id = r.id), 0)
	FROM revision r`

func scanRevision(entry content.EntryID) pgx.RowToFunc[*Revision] {
	return func(row pgx.CollectableRow) (*Revision, error) {
		var id content.RevisionID
		var n nullRevision
		var release uint64
		if err := row.Scan(append(append([]any{&id}, n.dest()...), &release)...); err != nil {
			return nil, err
		}
		r := n.revision(entry, &id)
		r.Release = release
		return r, nil
	}
}

func revision(ctx context.Context, q postgres.Querier, entry content.EntryID, id string) (*Revision, error) {
	rows, err := q.Query(ctx, selectRevision+` WHERE id = $1 AND entry_id = $2`, id, entry)
	if err != nil {
		return nil, fmt.Errorf("reading a revision: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, scanRevision(entry))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "the entry has no revision %q", id)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a revision: %w", err)
	}
	return r, nil
}

// storedRevision is a revision as it is built on.
type storedRevision struct {
	diff.Revision
	id      content.RevisionID
	version uint32
	summary string
	size    int // of the fields, in bytes
}

// revisions are those that were read.
type revisions map[content.RevisionID]storedRevision

// of returns a revision; the zero one for nil.
func (r revisions) of(id *content.RevisionID) storedRevision {
	if id == nil {
		return storedRevision{}
	}
	return r[*id]
}

// readRevisions reads many revisions, with their fields or without.
func readRevisions(ctx context.Context, tx pgx.Tx, ids []content.RevisionID, withFields bool) (revisions, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, slug, CASE WHEN $2 THEN fields END, octet_length(fields), schema_version, change_summary
		FROM revision WHERE id = ANY($1)`, ids, withFields)
	if err != nil {
		return nil, fmt.Errorf("reading revisions: %w", err)
	}
	found := make(revisions, len(ids))
	var one storedRevision
	_, err = pgx.ForEachRow(rows, []any{&one.id, &one.Slug, (*[]byte)(&one.Fields), &one.size, &one.version, &one.summary}, func() error {
		found[one.id] = one
		one = storedRevision{}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading revisions: %w", err)
	}
	return found, nil
}

// GetRevision returns one revision of an entry.
func GetRevision(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, entry, id string) (*Revision, error) {
	if err := reach(ctx, q, actor, project, entry); err != nil {
		return nil, err
	}
	return revision(ctx, q, content.EntryID(entry), id)
}

// Revisions returns the revisions of an entry, newest first.
func Revisions(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, entry string, page postgres.Page) (postgres.Listing[*Revision], error) {
	var none postgres.Listing[*Revision]
	after, err := page.After()
	if err != nil {
		return none, err
	}
	if err := reach(ctx, q, actor, project, entry); err != nil {
		return none, err
	}
	rows, err := q.Query(ctx, selectRevision+` WHERE entry_id = $1 AND ($2::text IS NULL OR id < $2)
		ORDER BY id DESC LIMIT $3`, entry, after, page.Size()+1)
	if err != nil {
		return none, fmt.Errorf("listing revisions: %w", err)
	}
	list, err := postgres.CollectPage(page, rows, scanRevision(content.EntryID(entry)), (*Revision).size,
		func(r *Revision) string { return string(r.ID) })
	if err != nil {
		return none, fmt.Errorf("listing revisions: %w", err)
	}
	return list, nil
}

// size is that of the content, in bytes; none has none.
func (r *Revision) size() int {
	if r == nil {
		return 0
	}
	return len(r.Fields)
}

// reach checks that the entry is of the project and not of a collection the actor may not touch.
func reach(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, entry string) error {
	var collection string
	err := q.QueryRow(ctx, `SELECT e.collection FROM entry e WHERE e.id = $1 AND e.project_id = $2 AND `+inForce,
		entry, project).Scan(&collection)
	if errors.Is(err, pgx.ErrNoRows) {
		return missing(entry)
	}
	if err != nil {
		return fmt.Errorf("reading an entry: %w", err)
	}
	return access.Confine(actor, collection)
}
