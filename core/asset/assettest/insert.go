// Package assettest makes assets for tests, without their bytes. Only tests import it.
package assettest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/shared/content"
)

// Insert makes an asset of this type that is a draft, and returns its id. It ends the test where it fails.
func Insert(t testing.TB, q postgres.Querier, project content.ProjectID, contentType string) content.AssetID {
	t.Helper()
	id := content.NewID[content.AssetID]()
	InsertAs(t, q, project, id, contentType)
	return id
}

// InsertAs is Insert with an id that the test knows before.
func InsertAs(t testing.TB, q postgres.Querier, project content.ProjectID, id content.AssetID, contentType string) {
	t.Helper()
	exec(t, q, `INSERT INTO asset (id, project_id, content_type, byte_size, sha256, checksum, original_filename, display_filename)
		VALUES ($1, $2, $3, 4, sha256(convert_to($1, 'UTF8')), md5($1), 'file', 'file')`, string(id), project, contentType)
}

// Alt gives an asset a default alt text.
func Alt(t testing.TB, q postgres.Querier, id content.AssetID, text string) {
	t.Helper()
	exec(t, q, `UPDATE asset SET default_alt = $2 WHERE id = $1`, id, text)
}

// Move brings an asset into a state.
func Move(t testing.TB, q postgres.Querier, id content.AssetID, state content.AssetState) {
	t.Helper()
	exec(t, q, `UPDATE asset SET state = $2, deleted_at = CASE $2 WHEN 'deleted' THEN now() END WHERE id = $1`, id, string(state))
}

// Delete deletes an asset that nothing published names, as all who delete one have to: it is locked before content is searched.
// It reports whether the asset is deleted.
func Delete(t testing.TB, pool *pgxpool.Pool, id content.AssetID) (deleted bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM asset WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, `UPDATE asset SET state = 'deleted', deleted_at = now() WHERE id = $1 AND NOT EXISTS (
			SELECT FROM entry e JOIN revision r ON r.id = e.published_revision_id
			WHERE e.project_id = asset.project_id AND strpos(r.fields, $1) > 0)`, id)
		deleted = done.RowsAffected() == 1
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return deleted
}

// State reads where an asset stands.
func State(t testing.TB, q postgres.Querier, id content.AssetID) content.AssetState {
	t.Helper()
	var state content.AssetState
	if err := q.QueryRow(t.Context(), `SELECT state FROM asset WHERE id = $1`, id).Scan(&state); err != nil {
		t.Fatal(err)
	}
	return state
}

func exec(t testing.TB, q postgres.Querier, sql string, args ...any) {
	t.Helper()
	if _, err := q.Exec(context.WithoutCancel(t.Context()), sql, args...); err != nil {
		t.Fatal(err)
	}
}
