package api_test

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/api"
	"svc/core/preview"
	"svc/shared/read"
)

// TestAnswersOfEveryRouteThatAreNotTakenAreBounded: callers of management and public lists who take nothing hold no more
// than is allowed, and one who does take gets the whole list.
func TestAnswersOfEveryRouteThatAreNotTakenAreBounded(t *testing.T) {
	const most, sleepers, conns = 16 << 20, 12, 4
	// Connections to the database keep a buffer of the largest row they read, whatever is taken.
	bound := uint64(most + 4<<20*conns)
	b := newBed(t, func(c *api.Config) {
		c.Answers = most
		cfg := c.Pool.Config()
		cfg.MaxConns = conns
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		c.Pool = pool
		c.Reader = &read.Engine{Store: preview.New(pool, 0), Keys: preview.Keys{Pool: pool}, Now: time.Now}
	})
	set := b.call(b.owner, "POST", sets, `{"title":"Large"}`).is(201).at("data.id")
	for range 3 {
		text := padded(2 << 20)
		b.call(b.owner, "POST", entries, text[:len(text)-1]+`,"changeSetId":"`+set+`"}`).is(201)
	}
	b.call(b.owner, "POST", sets+"/"+set+"/publish", `{"confirm":true}`).is(200)
	for name, path := range map[string]string{"management": "/v1/projects/site/entries?limit=100", "public": entries + "?limit=100"} {
		b := b.in(t)
		before := held()
		for range sleepers {
			b.asksAndSleeps(path)
		}
		eventually(t, "gave another caller the "+name+" list", func() bool {
			a, err := b.try(b.owner, "GET", path, nil) // one who takes slowly is cut off for the others too
			return err == nil && a.status == http.StatusOK && len(a.body) > 4<<20
		})
		eventually(t, "held "+name+" answers within bounds", func() bool { return held() < before+bound })
	}
}

// asksAndSleeps asks and takes nothing of the answer until the test ends.
func (b *bed) asksAndSleeps(path string) {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	b.ok(err)
	b.Cleanup(func() { _ = conn.Close() })
	b.ok(conn.(*net.TCPConn).SetReadBuffer(4 << 10))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nAccept-Encoding: identity\r\n\r\n", path, b.owner)
	b.ok(err)
}

// held is the size of the live heap in bytes.
func held() uint64 {
	runtime.GC()
	runtime.GC() // pools give up what they keep with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
