package schemadeploy

import (
	"context"
	"slices"

	"svc/core/asset"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// use is an asset that a head names where no one has looked at it yet: in what was no place of an asset before (a fresh
// one), or in a field that allows other types than it did. What has become of assets since they were accepted is no matter
// of schemas.
type use struct {
	value.AssetUse
	fresh bool
	was   *schema.Field // of one that is not fresh; nil in richText
}

func usesOf(now, before []value.AssetUse) []use {
	type place struct {
		path  string
		asset content.AssetID
	}
	accepted := make(map[place]*schema.Field, len(before))
	for _, u := range before {
		accepted[place{u.Path, u.Asset}] = u.Field
	}
	var uses []use
	for _, u := range now {
		was, known := accepted[place{u.Path, u.Asset}]
		if !known || !slices.Equal(families(was), families(u.Field)) {
			uses = append(uses, use{u, !known, was})
		}
	}
	return uses
}

// families are the types that a field allows; none where it allows all.
func families(f *schema.Field) []string {
	if f == nil {
		return nil
	}
	return f.Allowed
}

// assets returns the assets of uses.
func (k *contentCheck) assets(ctx context.Context, all []mentions) (asset.Found, error) {
	var ids []content.AssetID
	for _, m := range all {
		for _, u := range m.uses {
			ids = append(ids, u.Asset)
		}
	}
	return asset.Find(ctx, k.q, k.project, ids)
}

// unfit finds fresh uses that a write would not be allowed, and assets whose type a field allowed and does not any more.
func (k *contentCheck) unfit(h head, uses []use, assets asset.Found) {
	for _, u := range uses {
		if item, misfit := u.misfit(assets); misfit {
			k.note(h, item)
		}
	}
}

func (u use) misfit(assets asset.Found) (fault.Item, bool) {
	if u.fresh {
		return assets.Misfit(u.AssetUse)
	}
	before := u.AssetUse
	before.Field = u.was
	if _, already := assets.Mistyped(before); already {
		return fault.Item{}, false
	}
	return assets.Mistyped(u.AssetUse)
}
