package postgres_test

import (
	"context"
	"testing"
	"time"

	"svc/deploy/local/localtest"
)

// TestAProgramThatHangsWhileItSendsLosesItsLocks: PostgreSQL ends a transaction whose program hangs, also where it hangs in
// the middle of a statement. It does not where it waits for the rows of COPY, which is why nothing in core uses that.
func TestAProgramThatHangsWhileItSendsLosesItsLocks(t *testing.T) {
	pool := open(t, localtest.Postgres(t))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	hangs, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer hangs.Release()
	for _, sql := range []string{
		"BEGIN", "SELECT pg_advisory_xact_lock(1)", "SELECT set_config('idle_in_transaction_session_timeout', '300ms', true)",
	} {
		if _, err := hangs.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	beginning := []byte("Q\x00\x01\x00\x00INSERT INTO") // of a query of 64 KiB
	if _, err := hangs.Conn().PgConn().Conn().Write(beginning); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
		t.Fatalf("the lock is not given back: %v", err)
	}
	if err := hangs.Conn().Close(ctx); err != nil {
		t.Log(err)
	}
}
