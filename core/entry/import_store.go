package entry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/changeset"
	"svc/shared/content"
)

// Rows are sent as the arrays of a statement and not by COPY: while COPY waits for rows, no timeout of PostgreSQL ends it, so
// that a program that hangs there would hold the lock of its project for as long as it hangs. For the same reason what is large
// comes first in a batch: within one there is no timeout either.
const (
	insertEntries = `INSERT INTO entry (id, project_id, collection, draft_revision_id, draft_slug, created_by)
		SELECT n.id, $1, $2, n.revision, n.slug, $3 FROM unnest($4::text[], $5::text[], $6::text[]) AS n(id, revision, slug)`
	moveEntries = `UPDATE entry e SET draft_revision_id = n.revision, draft_slug = n.slug
		FROM unnest($1::text[], $2::text[], $3::text[]) AS n(id, revision, slug) WHERE e.id = n.id`
	insertRevisions = `INSERT INTO revision (id, project_id, entry_id, parent_id, schema_version, slug, fields, fields_hash,
			change_set_id, change_summary, created_by)
		SELECT n.id, $1, n.entry, n.parent, $2, n.slug, n.fields, n.hash, $3, n.summary, $4
		FROM unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bytea[], $11::text[])
			AS n(id, entry, parent, slug, fields, hash, summary)`
)

// drafts are entries with their new revisions, by column.
type drafts struct {
	entries   []content.EntryID
	revisions []content.RevisionID
	slugs     []*string
}

func (d *drafts) add(s *staged) {
	d.entries, d.revisions, d.slugs = append(d.entries, s.entry), append(d.revisions, s.revision), append(d.slugs, s.draft.slug)
}

// store writes revisions and stages them.
func (i *importer) store(ctx context.Context, tx pgx.Tx, changes []staged) error {
	if len(changes) == 0 {
		return nil
	}
	p, name, by := i.project, i.frame.schema.Name, i.actor.IDOrNil()
	var created, moved drafts
	joining := map[content.ChangeSetID][]*staged{}
	for n := range changes {
		s := &changes[n]
		joining[s.set] = append(joining[s.set], s)
		if s.isNew {
			created.add(s)
		} else {
			moved.add(s)
		}
	}
	if len(created.entries) > 0 {
		if _, err := tx.Exec(ctx, insertEntries, p, name, by, created.entries, created.revisions, created.slugs); err != nil {
			return fmt.Errorf("storing entries: %w", err)
		}
	}
	revisions, items := &pgx.Batch{}, &pgx.Batch{}
	for _, id := range slices.Sorted(maps.Keys(joining)) {
		set, err := i.spread.Set(ctx, tx, id)
		if err != nil {
			return err
		}
		i.queue(revisions, items, set, joining[id])
	}
	revisions.Queue(moveEntries, moved.entries, moved.revisions, moved.slugs)
	revisions.QueuedQueries = append(revisions.QueuedQueries, items.QueuedQueries...)
	if err := tx.SendBatch(ctx, revisions).Close(); err != nil {
		return fmt.Errorf("staging entries: %w", err)
	}
	return nil
}

// queue stores the revisions that join a set, and stages them.
func (i *importer) queue(revisions, items *pgx.Batch, set *changeset.ChangeSet, joining []*staged) {
	var all drafts
	var parents []*content.RevisionID
	var fields, summaries []string
	var hashes [][]byte
	rows := make([]changeset.Staging, 0, len(joining))
	for _, s := range joining {
		all.add(s)
		parents, fields, hashes = append(parents, s.parent), append(fields, string(s.draft.fields)), append(hashes, s.draft.hash[:])
		summaries = append(summaries, cmp.Or(s.row.ChangeSummary, i.options.ChangeSummary))
		rows = append(rows, changeset.Staging{
			Entry: s.entry, Collection: i.frame.schema.Name, Operation: s.op, Base: s.base, Target: &s.revision, Slug: s.draft.slug,
		})
	}
	revisions.Queue(insertRevisions, i.project, i.frame.version, set.ID, i.actor.IDOrNil(),
		all.revisions, all.entries, parents, all.slugs, fields, hashes, summaries)
	changeset.Queue(items, set, rows)
}
