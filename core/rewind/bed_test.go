package rewind

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"svc/core/changelog"
	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
	"svc/deploy/local/localtest"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/stream"
	"svc/replication/stream/streamtest"
	"svc/shared/blob/blobtest"
	"svc/shared/telemetry"
)

// bed is a database with one log, and the guard and relay of a core.
type bed struct {
	*testing.T
	pool    *pgxpool.Pool
	commits *changelog.Commits
	source  *changelog.Source
	nats    string
	conn    *stream.Conn // nil without a stream
	alarms  *telemetry.Alarms
}

const log = "prj_a"

func newBed(t *testing.T) *bed {
	b := &bed{T: t, commits: changelog.NewCommits(), alarms: telemetry.NewAlarms(telemetry.CoreAlarms(), nil, slog.New(slog.DiscardHandler))}
	b.pool = postgrestest.OpenWith(t, b.commits)
	b.source = changelog.NewSource(b.pool, b.commits, b.logger())
	b.ok(postgres.InTx(t.Context(), b.pool, func(tx pgx.Tx) error { return changelog.Create(t.Context(), tx, log) }))
	return b
}

func (b *bed) withStream() *bed {
	b.nats = localtest.StartNATS(b.T).URL
	conn, err := stream.Connect(stream.Config{URL: b.nats, Name: b.Name()}, b.logger())
	b.ok(err)
	b.Cleanup(conn.Close)
	b.conn = conn
	return b
}

func (b *bed) logger() *slog.Logger { return slog.New(slog.NewTextHandler(b.Output(), nil)) }

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bed) guard() *Guard {
	return New(b.pool, b.commits, Comparison{Source: b.source, Stream: b.conn, Blobs: &blobtest.Memory{}}, b.alarms, b.logger(), nil)
}

// relay runs a relay, whose guard it asks about messages that the database does not have, until the test ends or stop is
// called.
func (b *bed) relay() (stop func()) {
	r := &publish.Relay{
		Source: b.source, Stream: b.conn, Blobs: &blobtest.Memory{}, WentBack: b.guard().WentBack, Log: b.logger(),
		Timing: publish.Timing{Poll: 50 * time.Millisecond, Verify: 300 * time.Millisecond, OthersAfter: 300 * time.Millisecond},
	}
	ctx, cancel := context.WithCancel(context.Background())
	var g errgroup.Group
	g.Go(func() error { return r.Run(ctx) })
	stop = func() {
		cancel()
		if err := g.Wait(); err != nil {
			b.Error(err)
		}
	}
	b.Cleanup(stop)
	return stop
}

// change appends n changes and returns the head.
func (b *bed) change(n int) record.Position {
	b.Helper()
	for i := range n {
		b.ok(postgres.InTx(b.Context(), b.pool, func(tx pgx.Tx) error {
			return changelog.AppendMessage(b.Context(), tx, log, record.KindProject, &recordpb.Project{Id: log, Name: fmt.Sprint(b.Name(), time.Now(), i)})
		}))
	}
	return b.head()
}

func (b *bed) head() record.Position {
	b.Helper()
	p, err := changelog.Head(b.Context(), b.pool, log)
	b.ok(err)
	return p
}

func (b *bed) until(what string, ok func() bool) {
	b.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("waited in vain until %s", what)
		}
	}
}

// level waits until the last message of the log is its head in the database.
func (b *bed) level() (want record.Position) {
	b.Helper()
	b.until("the stream is level", func() bool {
		want = b.head()
		m, found, err := b.conn.Last(b.Context(), log)
		return err == nil && found && m.Position == want
	})
	return want
}

// positions writes the messages of the log as epoch.seq.
func (b *bed) positions() string {
	b.Helper()
	var all []string
	for _, m := range streamtest.Messages(b.T, b.conn, log) {
		all = append(all, fmt.Sprintf("%d.%d", m.Position.Epoch, m.Position.Seq))
	}
	return fmt.Sprint(all)
}

// goBack takes the database back to an older state of the log, as restoring a backup does.
func (b *bed) goBack(to record.Position) {
	b.Helper()
	var batch pgx.Batch
	batch.Queue(`DELETE FROM change WHERE log = $1 AND seq > $2`, log, int64(to.Seq))
	batch.Queue(`UPDATE log_head SET epoch = $2, seq = $3, chain = $4 WHERE log = $1`, log, int64(to.Epoch), int64(to.Seq), to.Chain[:])
	batch.Queue(`UPDATE relay_progress SET seq = least(seq, $2) WHERE log = $1`, log, int64(to.Seq))
	b.ok(b.pool.SendBatch(b.Context(), &batch).Close())
}
