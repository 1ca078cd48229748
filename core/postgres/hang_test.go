package postgres_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"svc/core/postgres"
	"svc/deploy/local/localtest"
)

// TestAProgramThatHangsLosesItsLocks: PostgreSQL ends a transaction whose program hangs, also where it hangs in the middle of a
// statement, or of the rows that it is sent. It does not where it waits for the rows of COPY, which is why nothing in core uses
// that.
func TestAProgramThatHangsLosesItsLocks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		setting string // whose time is shortened for the test
		send    string
	}{
		"while it sends":    {"idle_in_transaction_session_timeout", "Q\x00\x01\x00\x00INSERT INTO"}, // the beginning of a query of 64 KiB
		"while it receives": {"tcp_user_timeout", query("SELECT repeat('x', 1000000) FROM generate_series(1, 1000)")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := open(t, localtest.Postgres(t))
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			hangs, err := pool.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer hangs.Release()
			for _, sql := range []string{
				"BEGIN", "SELECT pg_advisory_xact_lock(1)", "SELECT " + postgres.EndStuck,
				"SELECT set_config('" + test.setting + "', '300ms', true) WHERE current_setting('" + test.setting + "') IN ('15s', '15000')",
			} {
				if tag, err := hangs.Exec(ctx, sql); err != nil || tag.Select() && tag.RowsAffected() != 1 {
					t.Fatal(sql, tag, err)
				}
			}
			if _, err := hangs.Conn().PgConn().Conn().Write([]byte(test.send)); err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
				t.Fatalf("the lock is not given back: %v", err)
			}
			if err := hangs.Conn().Close(ctx); err != nil {
				t.Log(err)
			}
		})
	}
}

// query is the message of a query.
func query(sql string) string {
	return string(append(binary.BigEndian.AppendUint32([]byte("Q"), uint32(len(sql)+5)), sql+"\x00"...))
}
