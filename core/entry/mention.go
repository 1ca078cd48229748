package entry

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/asset"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// mentions are what a draft names by id: in the fields that a write names, and in others. What stands in those was accepted
// before, but assets may have been deleted since no draft named them.
type mentions struct {
	value.Mentions
	others []value.AssetUse
}

// mentions finds what the fields of a draft name, of which the write names some.
func (f frame) mentions(fields jsontext.Value, written map[string]bool) (m mentions, err error) {
	all, err := value.MentionsIn(f.schema, f.locales, fields)
	if err != nil || len(all.References)+len(all.Assets) == 0 {
		return m, err
	}
	for _, r := range all.References {
		if written[value.TopLevel(r.Path)] {
			m.References = append(m.References, r)
		}
	}
	for _, u := range all.Assets {
		if written[value.TopLevel(u.Path)] {
			m.Assets = append(m.Assets, u)
		} else {
			m.others = append(m.others, u)
		}
	}
	return m, nil
}

// written are the fields that a write names.
func written(data jsontext.Value) (map[string]bool, error) {
	members, err := value.Members(data)
	names := map[string]bool{}
	for _, m := range members {
		names[m.Name] = true
	}
	return names, err
}

// named are the entries and assets that mentions lead to. The assets stay as they are until the transaction ends.
type named struct {
	entries map[content.EntryID]schemadeploy.Target
	assets  asset.Found

	deletedToo bool // deleted entries may be referred to, as unpublished ones
}

func findMentioned(ctx context.Context, tx pgx.Tx, project content.ProjectID, all ...mentions) (named, error) {
	var entries []content.EntryID
	var assets []content.AssetID
	for _, m := range all {
		for _, r := range m.References {
			entries = append(entries, r.Entry)
		}
		assets = append(append(assets, asset.IDs(m.Assets)...), asset.IDs(m.others)...)
	}
	var n named
	var err error
	if n.entries, err = schemadeploy.Targets(ctx, tx, project, entries); err != nil {
		return n, err
	}
	n.assets, err = asset.Hold(ctx, tx, project, assets)
	return n, err
}

// misfits finds everything that a draft may not name.
func (n named) misfits(m mentions) []fault.Item {
	return slices.Concat(n.misled(m.References), n.assets.Misfits(m.Assets), n.assets.Misfits(n.assets.Deleted(m.others)))
}

// misled finds references to no entry, or to one of another collection than the field names. A reference to an
// unpublished entry is fine in a draft. Publishing asks for more.
func (n named) misled(references []value.Reference) []fault.Item {
	var items []fault.Item
	for _, r := range references {
		to, exists := n.entries[r.Entry]
		switch {
		case !exists || to.Deleted && !n.deletedToo || to.Removed:
			items = append(items, fault.Item{Path: r.Path, Code: string(schema.CodeReference),
				Message: fmt.Sprintf("refers to %s, which does not exist in the project", r.Entry)})
		case r.Collection != "" && r.Collection != to.Collection:
			items = append(items, fault.Item{Path: r.Path, Code: string(schema.CodeReference),
				Message: fmt.Sprintf("must refer to an entry of %s; %s is one of %s", r.Collection, r.Entry, to.Collection)})
		}
	}
	return items
}
