package schemadeploy

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/validate"
	"svc/shared/value"
)

// maxContentErrors bounds the content errors that are listed; all are counted.
const maxContentErrors = 100

// ContentError is a place where existing content does not fit a proposed schema.
type ContentError struct {
	Entry      content.EntryID
	Collection string
	Revision   content.RevisionID
	Path       string
	Code       string
	Message    string
}

// checkContent validates every head of the collections, published ones and drafts, against the schemas proposed for
// them. It returns the first errors and their number.
func checkContent(ctx context.Context, q postgres.Querier, project content.ProjectID, locales value.Locales, proposed []*schema.Collection) ([]ContentError, int, error) {
	if len(proposed) == 0 {
		return nil, 0, nil
	}
	named := map[string]*schema.Collection{}
	names := make([]string, 0, len(proposed))
	for _, c := range proposed {
		named[c.Name] = c
		names = append(names, c.Name)
	}
	rows, err := q.Query(ctx, `
		WITH heads AS (
			SELECT id, collection, published_revision_id AS revision FROM entry
			WHERE project_id = $1 AND collection = ANY($2) AND deleted_at IS NULL AND published_revision_id IS NOT NULL
			UNION SELECT id, collection, draft_revision_id FROM entry
			WHERE project_id = $1 AND collection = ANY($2) AND deleted_at IS NULL AND draft_revision_id IS NOT NULL
			UNION SELECT e.id, e.collection, i.target_revision_id FROM change_set s
			JOIN change_set_item i ON i.change_set_id = s.id AND i.resource_type = 'entry' AND i.target_revision_id IS NOT NULL
			JOIN entry e ON e.id = i.resource_id AND e.collection = ANY($2) AND e.deleted_at IS NULL
			WHERE s.project_id = $1 AND s.status IN ('open', 'ready'))
		SELECT h.id, h.collection, h.revision, r.fields FROM heads h JOIN revision r ON r.id = h.revision
		ORDER BY h.collection, h.id, h.revision`, project, names)
	if err != nil {
		return nil, 0, fmt.Errorf("reading content to check it: %w", err)
	}
	var found []ContentError
	var count int
	var e ContentError
	var fields []byte
	_, err = pgx.ForEachRow(rows, []any{&e.Entry, &e.Collection, &e.Revision, &fields}, func() error {
		items, err := validate.Stored(named[e.Collection], locales, jsontext.Value(fields))
		if err != nil {
			return fmt.Errorf("checking revision %s: %w", e.Revision, err)
		}
		count += len(items)
		for _, item := range items {
			if len(found) == maxContentErrors {
				break
			}
			e.Path, e.Code, e.Message = item.Path, item.Code, item.Message
			found = append(found, e)
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("checking content: %w", err)
	}
	return found, count, nil
}
