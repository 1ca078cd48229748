package asset

import (
	"fmt"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// Misfits finds the uses that content may not have: of an asset that the project lacks or has deleted, and of one whose type
// the field does not allow.
func (f Found) Misfits(uses []value.AssetUse) []fault.Item {
	var items []fault.Item
	for _, use := range uses {
		if item, misfit := f.Misfit(use); misfit {
			items = append(items, item)
		}
	}
	return items
}

// Misfit is Misfits for one use.
func (f Found) Misfit(use value.AssetUse) (fault.Item, bool) {
	a, exists := f[use.Asset]
	switch {
	case !exists:
		return item(use, "must name an asset of the project; there is no %s", use.Asset), true
	case a.State == content.AssetDeleted:
		return item(use, "must name an asset of the project; %s has been deleted", use.Asset), true
	}
	return f.Mistyped(use)
}

// Mistyped is Misfit for the type alone, of deleted assets too.
func (f Found) Mistyped(use value.AssetUse) (fault.Item, bool) {
	a, exists := f[use.Asset]
	if !exists || use.Field == nil || use.Field.Accepts(a.ContentType) { // richText has no field, and allows every type
		return fault.Item{}, false
	}
	return item(use, "must name an asset of the type %s; %s is %s", schema.ShowAll(use.Field.Allowed), use.Asset, schema.Show(a.ContentType)), true
}

func item(use value.AssetUse, format string, args ...any) fault.Item {
	return fault.Item{Path: use.Path, Code: string(schema.CodeAsset), Message: fmt.Sprintf(format, args...)}
}

// Deleted finds the uses of assets that the project has deleted.
func (f Found) Deleted(uses []value.AssetUse) []value.AssetUse {
	var deleted []value.AssetUse
	for _, use := range uses {
		if f[use.Asset].State == content.AssetDeleted {
			deleted = append(deleted, use)
		}
	}
	return deleted
}

// IDs returns the assets of uses.
func IDs(uses []value.AssetUse) []content.AssetID {
	ids := make([]content.AssetID, len(uses))
	for i, use := range uses {
		ids[i] = use.Asset
	}
	return ids
}
