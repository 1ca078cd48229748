package api_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/core/api"
	"svc/shared/fault"
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

// TestAClaimOfADeadCoreIsTakenOver: where it did not take effect, another request runs, once, also one that waits.
func TestAClaimOfADeadCoreIsTakenOver(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: k").is(201).at("data.id")
	orphan := func(age string) {
		t.Helper()
		_, err := b.pool.Exec(t.Context(), `UPDATE idempotency SET status = NULL, body = NULL, took_effect = false, seen_at = clock_timestamp() - $1::interval`, age)
		b.ok(err)
	}
	for _, age := range []string{"1 minute", "0 seconds"} {
		orphan(age)
		before := b.count("change_set")
		var answers []<-chan answer
		for range 4 {
			answers = append(answers, b.later(b.owner, "POST", sets, strings.NewReader(`{"title":"x"}`), "Idempotency-Key: k"))
		}
		for _, answered := range answers {
			if id := (<-answered).is(201).at("data.id"); id == first {
				t.Error("it did not run again")
			}
		}
		if n := b.count("change_set"); n != before+1 {
			t.Errorf("%d sets were made", n-before)
		}
	}
}

// TestNobodyTakesOverWhatMayStillCommit: a transaction that marked its claim is waited for, and one that comes to it after
// a takeover fails.
func TestNobodyTakesOverWhatMayStillCommit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: k").is(201)
	_, err := b.pool.Exec(t.Context(), `UPDATE idempotency SET status = NULL, took_effect = false, seen_at = now() - interval '1 minute'`)
	b.ok(err)
	tx, err := b.pool.Begin(t.Context())
	b.ok(err)
	_, err = tx.Exec(t.Context(), `UPDATE idempotency SET took_effect = true`)
	b.ok(err)
	api.SetPatience(b.api, 300*time.Millisecond)
	b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: k").refused(fault.Conflict)
	b.ok(tx.Rollback(t.Context()))
	b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: k").is(201)

	made := b.count("change_set")
	var actor string
	b.ok(b.pool.QueryRow(t.Context(), `SELECT actor_id FROM idempotency`).Scan(&actor))
	if err := api.MarkLater(b.api, actor, "k"); fault.As(err).Code != fault.Unavailable || b.count("change_set") != made {
		t.Errorf("what lost its claim commits: %v", err)
	}
}
