package changelog

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/fault"
)

// A core that hangs between its change and the commit holds up the others for some seconds. What it did is undone, and it
// is told so when it goes on.
func TestACoreThatHangsHoldsALogBriefly(t *testing.T) {
	t.Parallel()
	pool := database(t)
	create(t, pool, "prj_a")
	var hung error
	err := postgres.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		if err := name(t.Context(), tx, "prj_a", "of the one that hangs"); err != nil {
			return err
		}
		var limit string
		if err := tx.QueryRow(t.Context(), `SHOW idle_in_transaction_session_timeout`).Scan(&limit); err != nil || limit != "5s" {
			t.Errorf("it may hold the log for %s, %v", limit, err)
		}
		named(t, pool, "prj_a", 1) // waits for the lock
		_, hung = tx.Exec(t.Context(), `SELECT 1`)
		return hung
	})
	if !fault.Is(postgres.Unavailable(err), fault.Unavailable) || hung == nil {
		t.Errorf("the one that hung is told %v", err)
	}
	if at := head(t, pool, "prj_a"); at.Seq != 1 {
		t.Errorf("the log is at %s", at)
	}
}

// A core that hangs while it alone may tell how far time is settled keeps no one from publishing for long.
func TestACoreThatHangsHoldsTheFenceBriefly(t *testing.T) {
	t.Parallel()
	pool := database(t)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, wait := range []bool{false, true} {
		f := fence{conn: conn}
		if err := f.take(t.Context(), wait); err != nil || !f.held {
			t.Fatal(f.held, err)
		}
		if err := f.leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		var limit string
		if err := conn.QueryRow(t.Context(), `SHOW idle_session_timeout`).Scan(&limit); err != nil || limit != "0" {
			t.Errorf("a connection that had the fence ends after %s, %v", limit, err)
		}
	}
	hanging := fence{conn: conn}
	if err := hanging.take(t.Context(), false); err != nil || !hanging.held {
		t.Fatal(hanging.held, err)
	}
	inTx(t, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock_shared($1)`, postgres.SettleFence)
		return err
	})
}
