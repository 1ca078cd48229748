package stream

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"svc/replication/record"
)

func connect(t *testing.T, url string) *Conn {
	t.Helper()
	c, err := Connect(Config{URL: url, Name: t.Name(), ReportTTL: time.Second}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// patience is how long anything may take that is waited for.
const patience = 2 * time.Minute

// until waits for a condition that another goroutine brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func open(t *testing.T, url string) *Conn {
	t.Helper()
	c := connect(t, url)
	until(t, "connected", c.Connected)
	if err := c.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func at(seq uint64) record.Position {
	return record.Position{Epoch: 1, Seq: seq, Chain: record.Hash{byte(seq)}}
}

// fill appends n messages to a log behind its last one.
func fill(t *testing.T, c *Conn, log string, n int) (last uint64) {
	t.Helper()
	m, _, err := c.Last(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	last = m.Seq
	for i := range n {
		seq := m.Position.Seq + uint64(i) + 1
		if last, err = c.Append(t.Context(), log, at(seq), record.Stamp{}, fmt.Appendf(nil, "%s %d", log, seq), last); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func purge(c *Conn, log string) error {
	s, err := c.js.Stream(context.Background(), StreamName)
	if err != nil {
		return err
	}
	if log == "" {
		return s.Purge(context.Background())
	}
	return s.Purge(context.Background(), jetstream.WithPurgeSubject(logSubjects+log))
}
