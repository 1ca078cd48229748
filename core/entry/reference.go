package entry

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/schemadeploy"
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

// known returns the entries that references lead to.
func known(ctx context.Context, tx pgx.Tx, project content.ProjectID, references []value.Reference) (map[content.EntryID]schemadeploy.Target, error) {
	ids := make([]content.EntryID, len(references))
	for i, r := range references {
		ids[i] = r.Entry
	}
	return schemadeploy.Targets(ctx, tx, project, ids)
}

// misled finds references to no entry, or to one of another collection than the field names. A reference to an
// unpublished entry is fine in a draft.
func misled(references []value.Reference, found map[content.EntryID]schemadeploy.Target) []fault.Item {
	var items []fault.Item
	for _, r := range references {
		to, exists := found[r.Entry]
		switch {
		case !exists || to.Deleted || to.Removed:
			items = append(items, fault.Item{Path: r.Path, Code: string(schema.CodeReference),
				Message: fmt.Sprintf("refers to %s, which does not exist in the project", r.Entry)})
		case r.Collection != "" && r.Collection != to.Collection:
			items = append(items, fault.Item{Path: r.Path, Code: string(schema.CodeReference),
				Message: fmt.Sprintf("must refer to an entry of %s; %s is one of %s", r.Collection, r.Entry, to.Collection)})
		}
	}
	return items
}
