package api_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"svc/shared/testrand"
)

// leave sends a request to make a set and hangs up after a while.
func (b *bed) leave(key, body string, after time.Duration) error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s",
		sets, b.owner, key, len(body), body)
	if err == nil {
		err = conn.SetReadDeadline(time.Now().Add(after))
	}
	_, _ = io.ReadAll(io.LimitReader(conn, 1)) // the answer, or the end of the wait
	if closed := conn.Close(); err == nil {
		err = closed
	}
	return err
}

// TestCallersWhoLeaveSpoilNoKey: whenever a caller hangs up, the same request gets an answer, and took effect once.
func TestCallersWhoLeaveSpoilNoKey(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	tries := 60 * testrand.Scale
	var group errgroup.Group
	group.SetLimit(4)
	random := testrand.New(t)
	for i := range tries {
		after := time.Duration(random.Int64N(int64(12 * time.Millisecond)))
		group.Go(func() error {
			key, body := fmt.Sprintf("k%d", i), fmt.Sprintf(`{"title":"set %d"}`, i)
			if err := b.leave(key, body, after); err != nil {
				return err
			}
			a, err := b.try(b.owner, "POST", sets, strings.NewReader(body), "Idempotency-Key: "+key)
			if err == nil && a.status != 201 {
				err = fmt.Errorf("try %d answered %d: %s", i, a.status, a.body)
			}
			return err
		})
	}
	b.ok(group.Wait())
	if n := b.count("change_set"); n != tries {
		t.Errorf("%d sets were made of %d", n, tries)
	}
}

// TestAKeyIsInsertedByTheWrite: a second request waits for the transaction of the first. If that commits, it gets its answer;
// otherwise it runs.
func TestAKeyIsInsertedByTheWrite(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: k").is(201)
	for key, end := range map[string]func(pgx.Tx) error{
		"committed":   func(tx pgx.Tx) error { return tx.Commit(t.Context()) },
		"rolled back": func(tx pgx.Tx) error { return tx.Rollback(t.Context()) },
	} {
		made := b.count("change_set")
		tx, err := b.pool.Begin(t.Context())
		b.ok(err)
		_, err = tx.Exec(t.Context(), `INSERT INTO idempotency (actor_id, key, request_hash, status)
			SELECT actor_id, $1, request_hash, 202 FROM idempotency WHERE key = 'k'`, key)
		b.ok(err)
		answered := b.later(b.owner, "POST", sets, strings.NewReader(`{"title":"x"}`), "Idempotency-Key: "+key)
		eventually(t, "waits", func() bool {
			return b.count(`pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
		})
		b.ok(end(tx))
		a, now := <-answered, b.count("change_set")
		switch {
		case key == "committed" && (a.status != 202 || now != made):
			t.Errorf("%s: answered %d, and %d sets were made", key, a.status, now-made)
		case key == "rolled back" && (a.status != 201 || now != made+1):
			t.Errorf("%s: answered %d, and %d sets were made", key, a.status, now-made)
		}
	}
}
