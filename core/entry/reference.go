package entry

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// references returns the references in the fields that a write names; those in other fields were accepted before.
func (f frame) references(fields, data jsontext.Value) ([]value.Reference, error) {
	all, err := value.References(f.schema, f.locales, fields)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	members, err := value.Members(data)
	if err != nil {
		return nil, err
	}
	written := map[string]bool{}
	for _, m := range members {
		written[m.Name] = true
	}
	var out []value.Reference
	for _, r := range all {
		key := strings.TrimPrefix(r.Path, "fields.")
		if end := strings.IndexAny(key, ".["); end >= 0 {
			key = key[:end]
		}
		if written[key] {
			out = append(out, r)
		}
	}
	return out, nil
}

// known returns the collections of those of the entries that exist in the project and are not deleted.
func known(ctx context.Context, tx pgx.Tx, project content.ProjectID, references []value.Reference) (map[content.EntryID]string, error) {
	found := map[content.EntryID]string{}
	if len(references) == 0 {
		return found, nil
	}
	ids := make([]string, len(references))
	for i, r := range references {
		ids[i] = string(r.Entry)
	}
	rows, err := tx.Query(ctx, `
		SELECT DISTINCT e.id, e.collection FROM unnest($2::text[]) AS w(id)
		JOIN entry e ON e.id = w.id AND e.project_id = $1 AND e.deleted_at IS NULL AND `+inForce, project, ids)
	if err != nil {
		return nil, fmt.Errorf("looking for referenced entries: %w", err)
	}
	var id content.EntryID
	var collection string
	_, err = pgx.ForEachRow(rows, []any{&id, &collection}, func() error {
		found[id] = collection
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for referenced entries: %w", err)
	}
	return found, nil
}

// misled finds references to no entry, or to one of another collection than the field names. A reference to an
// unpublished entry is fine in a draft.
func misled(references []value.Reference, found map[content.EntryID]string) []fault.Item {
	var items []fault.Item
	for _, r := range references {
		collection, exists := found[r.Entry]
		switch {
		case !exists:
			items = append(items, fault.Item{Path: r.Path, Code: string(schema.CodeReference),
				Message: fmt.Sprintf("refers to %s, which does not exist in the project", r.Entry)})
		case r.Collection != "" && r.Collection != collection:
			items = append(items, fault.Item{Path: r.Path, Code: string(schema.CodeReference),
				Message: fmt.Sprintf("must refer to an entry of %s; %s is one of %s", r.Collection, r.Entry, collection)})
		}
	}
	return items
}
