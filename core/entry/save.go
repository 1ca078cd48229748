package entry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
)

// row is a locked entry, or one to be made.
type row struct {
	id            content.EntryID
	isNew         bool
	collection    string
	published     *content.RevisionID
	lastPublished *content.RevisionID
	draft         *content.RevisionID // read by a revert alone
	deleted       bool
}

// operation is what staging a revision of the entry means.
func (r *row) operation() content.Operation {
	if r.lastPublished == nil {
		return content.OperationCreate
	}
	return content.OperationUpdate
}

// lockEntry holds an entry that is there and that the actor may touch, deleted or not.
func lockEntry(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, entry string) (*row, error) {
	r := &row{id: content.EntryID(entry)}
	err := tx.QueryRow(ctx, `
		SELECT collection, published_revision_id, last_published_revision_id, deleted_at IS NOT NULL
		FROM entry e WHERE id = $1 AND project_id = $2 AND `+inForce+` FOR NO KEY UPDATE`, entry, id).Scan(
		&r.collection, &r.published, &r.lastPublished, &r.deleted)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, missing(entry)
	}
	if err != nil {
		return nil, fmt.Errorf("locking an entry: %w", err)
	}
	if err := access.Confine(actor, r.collection); err != nil {
		return nil, err
	}
	return r, nil
}

// refuseDeleted is CONFLICT where the entry is deleted.
func (r *row) refuseDeleted() error {
	if !r.deleted {
		return nil
	}
	return about(r.id, "the entry %s is deleted", r.id)
}

// about is a CONFLICT with an entry.
func about(entry content.EntryID, format string, args ...any) *fault.Error {
	f := fault.New(fault.Conflict, format, args...)
	f.EntryIDs = []string{string(entry)}
	return f
}

// head is what a write of an entry builds on.
type head struct {
	*row
	on   baseline            // what data is laid over
	base *content.RevisionID // of the item: what was published when it was staged
}

// baseline is the content that a write builds on; the zero baseline is that of a new entry.
type baseline struct {
	revision *content.RevisionID
	slug     *string
	fields   jsontext.Value // nil where there is nothing
}

// newEntry is the head of an entry to be made.
func newEntry() *head { return &head{row: &row{id: content.NewID[content.EntryID](), isNew: true}} }

func (h *head) says(d draft) bool {
	return h.on.revision != nil && bytes.Equal(h.on.fields, d.fields) &&
		(h.on.slug == nil) == (d.slug == nil) && (d.slug == nil || *h.on.slug == *d.slug)
}

// eachHead passes what writes of entries build on, each into the named set, or without one into the only set that has it: what the
// set proposes, else what is or was published, else a draft that is not the work of another open set, or with others of any. An
// entry without any of them has an empty baseline. OFFSET 0 has the index of revisions looked into for each entry.
func eachHead(ctx context.Context, tx pgx.Tx, named string, others bool, ids []content.EntryID, see func(id content.EntryID, base *content.RevisionID, on baseline) error) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT e.id, CASE WHEN i.target IS NULL THEN e.published_revision_id ELSE i.base END, r.id, r.slug, r.fields
		FROM unnest($1::text[]) AS w(id) JOIN entry e ON e.id = w.id
		CROSS JOIN LATERAL (
			SELECT max(base_revision_id) FILTER (WHERE ours) AS base, max(target_revision_id) FILTER (WHERE ours) AS target,
			       coalesce(bool_or(NOT ours), false) AS elsewhere
			FROM (SELECT *, CASE $2 WHEN '' THEN count(*) OVER () = 1 ELSE change_set_id = $2 END AS ours FROM change_set_item
			      WHERE resource_type = 'entry' AND resource_id = e.id AND live) one) i
		LEFT JOIN LATERAL (
			SELECT id, slug, fields FROM revision WHERE id = coalesce(i.target, e.published_revision_id, e.last_published_revision_id,
				CASE WHEN $3 OR NOT i.elsewhere THEN e.draft_revision_id END) OFFSET 0) r ON true`, ids, named, others)
	if err != nil {
		return fmt.Errorf("reading what writes build on: %w", err)
	}
	var id content.EntryID
	var base *content.RevisionID
	var on baseline
	_, err = pgx.ForEachRow(rows, []any{&id, &base, &on.revision, &on.slug, (*[]byte)(&on.fields)}, func() error {
		err := see(id, base, on)
		base, on = nil, baseline{}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading what writes build on: %w", err)
	}
	return nil
}

// staged is a new revision of an entry, ready to be stored.
type staged struct {
	*head
	set     *changeset.ChangeSet // that it joins
	draft   draft
	summary string
	made    content.RevisionID // once it is stored
}

// Rows are sent as the arrays of a statement and not by COPY: while COPY waits for rows, no timeout of PostgreSQL ends it, so
// that a program that hangs there would hold the lock of its project for as long as it hangs. For the same reason what is large
// comes first in a batch: within one there is no timeout either.
const storeRevisions = `
	WITH n AS (
		SELECT * FROM unnest($5::text[], $6::text[], $7::boolean[], $8::text[], $9::text[], $10::text[], $11::bytea[], $12::text[], $13::text[])
			AS n(id, entry, is_new, parent, slug, fields, hash, change_set, summary)),
	made AS (
		INSERT INTO entry (id, project_id, collection, draft_revision_id, draft_slug, created_by)
		SELECT entry, $1, $2, id, slug, $3 FROM n WHERE is_new),
	moved AS (
		UPDATE entry e SET draft_revision_id = n.id, draft_slug = n.slug FROM n WHERE e.id = n.entry AND NOT n.is_new)
	INSERT INTO revision (id, project_id, entry_id, parent_id, schema_version, slug, fields, fields_hash, change_set_id, change_summary, created_by)
	SELECT id, $1, entry, parent, $4, slug, fields, hash, change_set, summary, $3 FROM n`

// store stores revisions, with the entries that are new, stages them, and keeps in all what ids they got.
func (f frame) store(ctx context.Context, tx pgx.Tx, actor *access.Actor, project content.ProjectID, all []staged) error {
	var revisions []content.RevisionID
	var entries []content.EntryID
	var isNew []bool
	var parents []*content.RevisionID
	var slugs []*string
	var fields, sets, summaries []string
	var hashes [][]byte
	items := map[*changeset.ChangeSet][]changeset.Staging{}
	for n, s := range all {
		id := content.NewID[content.RevisionID]()
		all[n].made = id
		revisions, entries, isNew = append(revisions, id), append(entries, s.id), append(isNew, s.isNew)
		parents, slugs, summaries = append(parents, s.on.revision), append(slugs, s.draft.slug), append(summaries, s.summary)
		fields, hashes, sets = append(fields, string(s.draft.fields)), append(hashes, s.draft.hash[:]), append(sets, string(s.set.ID))
		items[s.set] = append(items[s.set], changeset.Staging{
			Entry: s.id, Collection: f.schema.Name, Operation: s.operation(), Base: s.base, Target: &id, Slug: s.draft.slug,
		})
	}
	batch := &pgx.Batch{}
	batch.Queue(storeRevisions, project, f.schema.Name, actor.IDOrNil(), f.version,
		revisions, entries, isNew, parents, slugs, fields, hashes, sets, summaries)
	for _, set := range slices.SortedFunc(maps.Keys(items), func(a, b *changeset.ChangeSet) int { return cmp.Compare(a.ID, b.ID) }) {
		changeset.Queue(batch, set, items[set])
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("storing revisions: %w", err)
	}
	return nil
}

// save stores one revision and returns what it brought about.
func (f frame) save(ctx context.Context, tx pgx.Tx, actor *access.Actor, project content.ProjectID, s staged) (*Written, error) {
	if err := f.store(ctx, tx, actor, project, []staged{s}); err != nil {
		return nil, err
	}
	return readWritten(ctx, tx, project, s.id, s.set)
}

// readWritten reads what a write of an entry brought about.
func readWritten(ctx context.Context, tx pgx.Tx, project content.ProjectID, entry content.EntryID, set *changeset.ChangeSet) (*Written, error) {
	e, err := read(ctx, tx, project, string(entry))
	if err != nil {
		return nil, err
	}
	return &Written{Entry: e, Revision: e.Draft, ChangeSet: set}, nil
}
