package entry

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/changeset"
)

var (
	entryColumns    = []string{"id", "project_id", "collection", "draft_revision_id", "draft_slug", "created_by"}
	revisionColumns = []string{"id", "project_id", "entry_id", "parent_id", "schema_version", "slug", "fields",
		"fields_hash", "change_set_id", "change_summary", "created_by"}
)

// store writes revisions and stages them.
func (i *importer) store(ctx context.Context, tx pgx.Tx, changes []staged) error {
	if len(changes) == 0 {
		return nil
	}
	p, name, by := i.target.Project.ID, i.frame.schema.Name, i.actor.IDOrNil()
	var entries, revisions [][]any
	var moved, to []string
	var slugs []*string
	rows := make([]changeset.Staging, 0, len(changes))
	for _, s := range changes {
		if s.isNew {
			entries = append(entries, []any{s.entry, p, name, s.revision, s.draft.slug, by})
		} else {
			moved, to, slugs = append(moved, string(s.entry)), append(to, string(s.revision)), append(slugs, s.draft.slug)
		}
		revisions = append(revisions, []any{s.revision, p, s.entry, s.parent, i.frame.version, s.draft.slug,
			string(s.draft.fields), s.draft.hash[:], i.target.Set.ID, cmp.Or(s.row.ChangeSummary, i.options.ChangeSummary), by})
		target := s.revision
		rows = append(rows, changeset.Staging{
			Entry: s.entry, Collection: name, Operation: s.op, Base: s.base, Target: &target, Slug: s.draft.slug,
		})
	}
	if err := copyRows(ctx, tx, "entry", entryColumns, entries); err != nil {
		return err
	}
	if err := copyRows(ctx, tx, "revision", revisionColumns, revisions); err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE entry e SET draft_revision_id = n.revision, draft_slug = n.slug
		FROM unnest($1::text[], $2::text[], $3::text[]) AS n(id, revision, slug) WHERE e.id = n.id`, moved, to, slugs)
	changeset.Queue(batch, i.target.Set, rows)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("staging entries: %w", err)
	}
	return nil
}

func copyRows(ctx context.Context, tx pgx.Tx, table string, columns []string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows)); err != nil {
		return fmt.Errorf("storing rows of %s: %w", table, err)
	}
	return nil
}
