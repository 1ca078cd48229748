package changelog

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/core/postgres/postgrestest"
	"svc/deploy/local/localtest"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/stream"
	"svc/replication/stream/streamtest"
	"svc/shared/blob"
	"svc/shared/blob/blobtest"
)

// site is a database, a stream, and cores that relay between them.
type site struct {
	t     *testing.T
	pool  *pgxpool.Pool
	heard *Commits
	nats  *localtest.Server
	conn  *stream.Conn
	blobs blob.Store
}

func newSite(t *testing.T) *site {
	heard := NewCommits()
	s := &site{t: t, pool: postgrestest.OpenWith(t, heard), heard: heard, nats: localtest.StartNATS(t), blobs: &blobtest.Memory{}}
	s.conn = s.connect()
	return s
}

func (s *site) logger() *slog.Logger { return slog.New(slog.NewTextHandler(s.t.Output(), nil)) }

func (s *site) connect() *stream.Conn {
	s.t.Helper()
	conn, err := stream.Connect(stream.Config{URL: s.nats.URL, Name: s.t.Name()}, s.logger())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(conn.Close)
	return conn
}

// relay runs another core's relay.
func (s *site) relay() (stop func()) { return s.run(s.newRelay(s.connect())) }

func (s *site) newRelay(conn *stream.Conn) *publish.Relay {
	src := NewSource(s.pool, s.heard, s.logger())
	return &publish.Relay{
		Source: src, Stream: conn, Blobs: s.blobs, Log: s.logger(),
		Timing: publish.Timing{Poll: 50 * time.Millisecond, Verify: 300 * time.Millisecond, OthersAfter: 300 * time.Millisecond},
	}
}

func (s *site) run(r *publish.Relay) (stop func()) {
	return background(s.t, func(ctx context.Context) error {
		if err := r.Run(ctx); err != nil {
			return err
		}
		return ctx.Err()
	})
}

// jetstream is the server's own interface, for what only an operator or a fault does.
func (s *site) jetstream() jetstream.JetStream {
	s.t.Helper()
	nc, err := nats.Connect(s.nats.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	return js
}

// level waits until the last message of a log is its head in the database.
func (s *site) level(log string) record.Position {
	s.t.Helper()
	var want record.Position
	until(s.t, "the stream is level with log "+log, func() bool {
		want = head(s.t, s.pool, log)
		m, found, err := s.conn.Last(s.t.Context(), log)
		return err == nil && found && m.Position == want
	})
	return want
}

// messages reads what the stream has of a log.
func (s *site) messages(log string) (all []*record.Change) {
	s.t.Helper()
	for _, m := range streamtest.Messages(s.t, s.conn, log) {
		c, blob, err := record.Decode(m.Envelope)
		if err == nil && blob != nil {
			c, err = s.fetch(s.t.Context(), blob)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func (s *site) fetch(ctx context.Context, b *record.Blob) (*record.Change, error) {
	body, _, err := s.blobs.Get(ctx, b.Key)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	object, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	return b.Open(object)
}

// unbroken checks that the stream has the whole log, each change once and in order.
func (s *site) unbroken(log string) {
	s.t.Helper()
	want := s.level(log)
	var at record.Position
	for _, c := range s.messages(log) {
		if !c.Follows(at) {
			s.t.Fatalf("log %s: %s does not follow %s", log, c.Position, at)
		}
		at = c.Position
	}
	if at != want {
		s.t.Fatalf("log %s ends at %s, want %s", log, at, want)
	}
}

// positions writes a log's messages as epoch.seq.
func (s *site) positions(log string) string {
	s.t.Helper()
	var all []string
	for _, c := range s.messages(log) {
		all = append(all, fmt.Sprintf("%d.%d", c.Position.Epoch, c.Position.Seq))
	}
	return fmt.Sprint(all)
}
