package api_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/api"
	"svc/core/preview"
	"svc/shared/fault"
	"svc/shared/read"
)

// line is the way to the database, which can break.
type line struct {
	away atomic.Bool // nothing gets through
	cut  atomic.Bool // the next commit gets through, and its answer does not
	last atomic.Bool // the next commit gets through, and nothing after it
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if l.away.Load() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return &cuttable{conn, l}, err
}

type cuttable struct {
	net.Conn
	line *line
}

func (c *cuttable) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	commit := bytes.Contains(p, []byte("commit\x00"))
	if commit && c.line.last.CompareAndSwap(true, false) {
		c.line.away.Store(true)
	}
	if commit && c.line.cut.CompareAndSwap(true, false) {
		return n, errors.Join(err, c.Conn.Close())
	}
	return n, err
}

// onLine is a bed whose API reaches its database through a line.
func onLine(t *testing.T) (*bed, *line) {
	l := &line{}
	return newBed(t, func(c *api.Config) {
		cfg := c.Pool.Config()
		cfg.ConnConfig.DialFunc = l.dial
		cfg.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) { return !l.away.Load(), nil }
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		c.Pool = pool
		c.Reader = &read.Engine{Store: preview.New(pool, 0), Keys: preview.Keys{Pool: pool}, Now: time.Now}
	}), l
}

// TestAbsentDatabaseIsUnavailable: while the database is away, everything that needs it is 503 with Retry-After.
func TestAbsentDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	b, l := onLine(t)
	l.away.Store(true)
	for _, c := range []struct{ method, path, body, header string }{
		{"GET", "/v1/auth/whoami", "", ""},
		{"GET", "/v1/projects/site/entries", "", ""},
		{"POST", sets, `{"title":"x"}`, ""},
		{"POST", sets, `{"title":"x"}`, "Idempotency-Key: k"},
		{"GET", "/v1/projects/site/collections/posts/entries", "", ""},
		{"GET", "/v1/projects/site/collections/secrets/entries", "", ""},
	} {
		if a := b.call(b.owner, c.method, c.path, c.body, c.header).refused(fault.Unavailable); a.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: a 503 says when to try again", c.method, c.path)
		}
	}
	l.away.Store(false)
	b.call(b.owner, "POST", sets, `{"title":"x"}`, "Idempotency-Key: k").is(201)
	b.call(b.owner, "GET", "/v1/projects/site/collections/secrets/entries", "").is(200)
}

// TestLostCommitHoldsItsIdempotencyKey: a request whose commit or answer was lost does not run again.
func TestLostCommitHoldsItsIdempotencyKey(t *testing.T) {
	t.Parallel()
	b, l := onLine(t)
	api.SetPatience(b.api, 50*time.Millisecond)
	for made, key := range []string{"Idempotency-Key: first", "Idempotency-Key: second"} {
		if made == 0 {
			l.cut.Store(true)
			b.call(b.owner, "POST", sets, `{"title":"x"}`, key).refused(fault.Unavailable)
			eventually(t, "committed", func() bool { return b.count("change_set") == 1 })
		} else {
			l.last.Store(true)
			b.call(b.owner, "POST", sets, `{"title":"x"}`, key).is(201)
			if b.logs.find("was not stored") == "" {
				t.Fatal("the answer was stored although the database was away")
			}
			l.away.Store(false)
		}
		b.call(b.owner, "POST", sets, `{"title":"x"}`, key).refused(fault.Conflict)
		if n := b.count("change_set"); n != made+1 {
			t.Errorf("%d sets were made", n)
		}
	}
}
