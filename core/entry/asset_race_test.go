package entry_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/core/asset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

var errNamed = errors.New("content names the asset")

// remove deletes an asset as all who delete one must: its row is locked before the heads are looked at.
func (b *bed) remove(id content.AssetID) error {
	return postgres.InTx(b.Context(), b.Pool, func(tx pgx.Tx) error {
		var named bool
		if _, err := tx.Exec(b.Context(), `SELECT FROM asset WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		err := tx.QueryRow(b.Context(), `SELECT EXISTS (SELECT FROM entry e
			JOIN revision r ON r.id IN (e.draft_revision_id, e.published_revision_id) WHERE strpos(r.fields, $1) > 0)`, string(id)).Scan(&named)
		if err != nil {
			return err
		}
		if named {
			return errNamed
		}
		_, err = tx.Exec(b.Context(), `UPDATE asset SET state = 'deleted', deleted_at = now() WHERE id = $1`, id)
		return err
	})
}

// Of a write that names an asset and its deletion at the same moment one is refused, so no head names a deleted asset.
func TestADeletionRacesWritesThatNameTheAsset(t *testing.T) {
	t.Parallel()
	b := pagesBed(t)
	page := b.Create(nil, "pages", `{}`).Entry.ID
	for round := range 20 {
		id := b.Asset("image/png")
		data := fmt.Sprintf(`{"cover": %q}`, id)
		writers := []func() error{
			func() error {
				_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "pages", entrytest.Write(nil, data))
				return err
			},
			func() error {
				_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(page), entrytest.Write(nil, data))
				return err
			},
			func() error {
				_, err := entry.Import(t.Context(), b.Pool, b.Actor, b.ID, "pages", entry.ImportOptions{}, rowsOf(data))
				return err
			},
		}
		var group sync.WaitGroup
		var removed, written error
		group.Go(func() { removed = b.remove(id) })
		group.Go(func() { written = writers[round%len(writers)]() })
		group.Wait()
		if removed != nil && !errors.Is(removed, errNamed) || written != nil && !fault.Is(written, fault.ValidationFailed) {
			t.Fatalf("deletion %v, write %v", removed, written)
		}
		if (removed == nil) == (written == nil) {
			t.Fatalf("exactly one of both stands: deletion %v, write %v", removed, written)
		}
	}
}

// Who names an asset keeps it from being deleted, and from nothing else: it can be edited, published and named by others.
func TestHeldAssetsAreOnlyKeptFromBeingDeleted(t *testing.T) {
	t.Parallel()
	b := pagesBed(t)
	id := b.Asset("image/png")
	hold := func(tx pgx.Tx) {
		found, err := asset.Hold(t.Context(), tx, b.ID, []content.AssetID{id, unknown, id})
		b.OK(err)
		if len(found) != 1 || found[id].ContentType != "image/png" {
			t.Fatalf("%+v", found)
		}
	}
	b.OK(postgres.InTx(t.Context(), b.Pool, func(first pgx.Tx) error {
		hold(first)
		return postgres.InTx(t.Context(), b.Pool, func(second pgx.Tx) error {
			hold(second)
			var locked *int
			err := second.QueryRow(t.Context(), `SELECT 1 FROM asset WHERE id = $1 FOR UPDATE SKIP LOCKED`, id).Scan(&locked)
			if !errors.Is(err, pgx.ErrNoRows) {
				t.Errorf("the row was free to be deleted: %v", err)
			}
			if _, err := second.Exec(t.Context(), `SET LOCAL lock_timeout = '10s'`); err != nil {
				return err
			}
			_, err = second.Exec(t.Context(), `UPDATE asset SET default_alt = 'x' WHERE id = $1`, id)
			return err
		})
	}))
}
