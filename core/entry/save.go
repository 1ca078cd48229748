package entry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
)

// staged is a new revision of an entry, ready to be stored.
type staged struct {
	*head
	set     *changeset.ChangeSet // that it joins
	draft   draft
	summary string
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

// store stores revisions, with the entries that are new, and stages them.
func (f frame) store(ctx context.Context, tx pgx.Tx, actor *access.Actor, project content.ProjectID, all []staged) error {
	var revisions []content.RevisionID
	var entries []content.EntryID
	var isNew []bool
	var parents []*content.RevisionID
	var slugs []*string
	var fields, sets, summaries []string
	var hashes [][]byte
	items := map[*changeset.ChangeSet][]changeset.Staging{}
	for _, s := range all {
		id := content.NewID[content.RevisionID]()
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
	e, err := read(ctx, tx, project, string(s.id))
	if err != nil {
		return nil, err
	}
	return &Written{Entry: e, Revision: e.Draft, ChangeSet: s.set}, nil
}
