package changeset

import (
	"context"

	"github.com/jackc/pgx/v5"

	"svc/core/asset"
	"svc/shared/content"
	"svc/shared/validate"
)

// loadAssets reads the assets that the targets name anywhere, as part of a longer string too.
func (r *release) loadAssets(ctx context.Context, tx pgx.Tx, ids []content.AssetID) (err error) {
	if r.holds {
		r.assets, err = asset.Lock(ctx, tx, r.project.ID, ids)
	} else {
		r.assets, err = asset.Find(ctx, tx, r.project.ID, ids)
	}
	return err
}

// image tells the policy of an asset. One that was deleted is none.
func (r *release) image(id content.AssetID) (validate.Asset, bool) {
	a, exists := r.assets[id]
	return validate.Asset{ContentType: a.ContentType, DefaultAlt: a.DefaultAlt}, exists && a.State != content.AssetDeleted
}
