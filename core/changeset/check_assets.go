package changeset

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/asset"
	"svc/shared/content"
	"svc/shared/validate"
	"svc/shared/value"
)

// loadAssets reads the assets that the targets name anywhere, as part of a longer string too. Targets that name none are
// told apart by the database.
func (r *release) loadAssets(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
		SELECT v.fields FROM change_set_item i JOIN revision v ON v.id = i.target_revision_id
		WHERE i.change_set_id = $1 AND i.resource_type = 'entry' AND strpos(v.fields, 'ast_') > 0`, r.set.ID)
	if err != nil {
		return fmt.Errorf("reading which assets a change set names: %w", err)
	}
	var ids []content.AssetID
	var fields []byte
	_, err = pgx.ForEachRow(rows, []any{&fields}, func() error {
		ids = append(ids, value.AssetIDs(jsontext.Value(fields))...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading which assets a change set names: %w", err)
	}
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
