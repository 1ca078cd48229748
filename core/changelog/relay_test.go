package changelog

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"svc/core/postgres"
	"svc/deploy/local/localtest"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/stream"
	"svc/shared/blob"
)

// site is a database, a stream, and cores that relay between them.
type site struct {
	t     *testing.T
	pool  *pgxpool.Pool
	nats  *localtest.Server
	conn  *stream.Conn
	blobs blob.Store
}

func newSite(t *testing.T) *site {
	s := &site{t: t, pool: database(t), nats: localtest.StartNATS(t), blobs: &blob.Memory{}}
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
	src := source(s.t, s.pool)
	return &publish.Relay{
		Source: src, History: src, Peers: src, Stream: conn, Blobs: s.blobs, Log: s.logger(),
		Timing: publish.Timing{Poll: 50 * time.Millisecond, Verify: 300 * time.Millisecond, Orphan: 300 * time.Millisecond},
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
func (s *site) messages(log string) []*record.Change {
	s.t.Helper()
	end, found, err := s.conn.Last(s.t.Context(), log)
	if err != nil {
		s.t.Fatal(err)
	}
	if !found {
		return nil
	}
	var all []*record.Change
	err = s.conn.FollowLog(s.t.Context(), log, stream.Place{}, stream.Handler{
		Attached: func(context.Context, stream.Attachment) error { return nil },
		Message: func(ctx context.Context, m stream.Message) error {
			c, blob, err := record.Decode(m.Envelope)
			if err != nil {
				return err
			}
			if blob != nil {
				if c, err = s.fetch(ctx, blob); err != nil {
					return err
				}
			}
			all = append(all, c)
			if m.Seq >= end.Seq {
				return stream.ErrStop
			}
			return nil
		},
	})
	if err != nil {
		s.t.Fatal(err)
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

// goBack takes the database back to an older state of a log, as restoring a backup does.
func (s *site) goBack(log string, to record.Position) {
	s.t.Helper()
	inTx(s.t, s.pool, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`DELETE FROM change WHERE log = $1 AND seq > $2`, log, int64(to.Seq))
		b.Queue(`UPDATE log_head SET epoch = $2, seq = $3, chain = $4 WHERE log = $1`, log, int64(to.Epoch), int64(to.Seq), to.Chain[:])
		b.Queue(`UPDATE relay_progress SET seq = least(seq, $2) WHERE log = $1`, log, int64(to.Seq))
		return tx.SendBatch(s.t.Context(), b).Close()
	})
}

func TestTheRelaySendsEverythingInOrder(t *testing.T) {
	s := newSite(t)
	c := newFixture(t, s.pool, "prj_a")
	named(t, s.pool, "prj_a", 300)
	s.relay()
	c.push(1, 2, "old")
	c.release(1, 3, "")
	c.release(2, 0, "delete", "ent_prj_a_000001")
	s.unbroken("prj_a")
	until(t, "the progress is recorded", func() bool {
		var sent int
		err := s.pool.QueryRow(t.Context(), `SELECT seq FROM relay_progress WHERE log = 'prj_a'`).Scan(&sent)
		return err == nil && sent == 303
	})
}

func TestTwoRelaysAndManyWritersLeaveEachChangeOnce(t *testing.T) {
	s := newSite(t)
	logs := []string{"prj_a", "prj_b", "org_c"}
	for _, log := range logs {
		create(t, s.pool, log)
	}
	s.relay()
	stop := s.relay()
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			for range 100 {
				log := logs[rand.IntN(len(logs))]
				if err := postgres.InTx(t.Context(), s.pool, func(tx pgx.Tx) error { return name(t.Context(), tx, log, "x") }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	g.Go(func() error { stop(); s.relay(); return nil }) // one comes and goes in the middle
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		s.unbroken(log)
	}
}

func TestALargeChangeGoesThroughObjectStorage(t *testing.T) {
	s := newSite(t)
	c := newFixture(t, s.pool, "prj_a")
	noise := make([]byte, 900<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)
	large := fmt.Sprintf(`{"n":"%x"}`, noise)
	sum := sha256.Sum256([]byte(large))
	digest := record.NewReleaseDigest()
	it := &recordpb.Item{Operation: recordpb.Operation_OPERATION_PUT, Entry: "ent_1", Collection: "articles", Slug: "s",
		Revision: "rev_1", SchemaVersion: 1, FieldsHash: sum[:]}
	digest.Item(it)
	inTx(t, s.pool, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO change_set (id, project_id, title) VALUES ('chs_1', 'prj_a', 'T')`)
		b.Queue(`INSERT INTO release (project_id, number, published_at, change_set_id, title, item_count) VALUES ('prj_a', 1, 'epoch', 'chs_1', 'T', 1)`)
		b.Queue(`INSERT INTO entry (id, project_id, collection) VALUES ('ent_1', 'prj_a', 'articles')`)
		b.Queue(`INSERT INTO revision (id, project_id, entry_id, schema_version, slug, fields, fields_hash) VALUES ('rev_1', 'prj_a', 'ent_1', 1, 's', $1, $2)`, large, sum[:])
		b.Queue(`INSERT INTO release_item (project_id, number, entry_id, collection, operation, revision_id) VALUES ('prj_a', 1, 'ent_1', 'articles', 'update', 'rev_1')`)
		if err := tx.SendBatch(t.Context(), b).Close(); err != nil {
			return err
		}
		_, err := Append(t.Context(), tx, c.log, record.KindRelease, digest.Sum(1, 0, "chs_1"), 1, nil)
		return err
	})
	s.relay()
	s.unbroken("prj_a")
	m, _, err := s.conn.Last(t.Context(), "prj_a")
	if err != nil || len(m.Envelope) > 1000 {
		t.Fatalf("a message of %d bytes, %v", len(m.Envelope), err)
	}
	if fields := s.messages("prj_a")[0].Body.(*recordpb.Release).Items[0].Fields; string(fields) != large {
		t.Fatal("other fields came out")
	}
}

func TestADatabaseThatWentBackBeginsAnEpoch(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  int // changes made after it went back, before anybody looks
		epoch  uint64
		stream string
	}{
		{"quiet", 0, 2, "[1.1 1.2 1.3 1.4 1.5 2.3]"},
		{"with fewer new changes", 1, 2, "[1.1 1.2 1.3 1.4 1.5 2.4]"},
		{"with as many new changes", 2, 2, "[1.1 1.2 1.3 1.4 1.5 2.5]"},
		{"with more new changes", 4, 2, "[1.1 1.2 1.3 1.4 1.5 2.7]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			create(t, s.pool, "prj_a")
			stop := s.relay()
			third := named(t, s.pool, "prj_a", 3)
			named(t, s.pool, "prj_a", 2)
			s.level("prj_a")
			stop()
			s.goBack("prj_a", third)
			for range tt.after {
				inTx(t, s.pool, func(tx pgx.Tx) error { return name(t.Context(), tx, "prj_a", "another name") })
			}
			s.relay()
			if at := s.level("prj_a"); at.Epoch != tt.epoch {
				t.Errorf("epoch %d", at.Epoch)
			}
			if got := s.positions("prj_a"); got != tt.stream {
				t.Errorf("the stream has %s, want %s", got, tt.stream)
			}
			// The epoch is begun once; what follows goes on from it.
			next := named(t, s.pool, "prj_a", 2)
			if at := s.level("prj_a"); at != next || at.Epoch != tt.epoch {
				t.Errorf("then at %s", at)
			}
		})
	}
}

func TestADatabaseThatForgotAnEpochGoesAboveIt(t *testing.T) {
	s := newSite(t)
	create(t, s.pool, "prj_a")
	stop := s.relay()
	third := named(t, s.pool, "prj_a", 3)
	s.level("prj_a")
	stop()
	if _, err := WentBack(t.Context(), s.pool, "prj_a", publish.Lost{Epoch: 4}); err != nil {
		t.Fatal(err)
	}
	last := named(t, s.pool, "prj_a", 1)
	stop = s.relay()
	if at := s.level("prj_a"); at != last || at.Epoch != 5 {
		t.Fatalf("at %s", at)
	}
	stop()
	s.goBack("prj_a", third)
	s.relay()
	if at := s.level("prj_a"); at.Epoch != 6 || at.Seq != 3 {
		t.Fatalf("at %s", at)
	}
}

func TestADatabaseThatLostAWholeLogBeginsAgain(t *testing.T) {
	s := newSite(t)
	create(t, s.pool, "prj_a")
	stop := s.relay()
	named(t, s.pool, "prj_a", 3)
	s.level("prj_a")
	stop()
	s.goBack("prj_a", record.Position{Epoch: 1})
	s.relay()
	until(t, "the epoch is raised", func() bool { return head(t, s.pool, "prj_a").Epoch == 2 })
	named(t, s.pool, "prj_a", 1)
	if at := s.level("prj_a"); at.Epoch != 2 || at.Seq != 1 {
		t.Fatalf("at %s", at)
	}
}

func TestALostStreamIsFilledAgain(t *testing.T) {
	lose := map[string]func(s *site, ctx context.Context, js jetstream.JetStream) error{
		"purged": func(s *site, ctx context.Context, js jetstream.JetStream) error {
			st, err := js.Stream(ctx, stream.StreamName)
			if err != nil {
				return err
			}
			return st.Purge(ctx)
		},
		"deleted": func(s *site, ctx context.Context, js jetstream.JetStream) error {
			return js.DeleteStream(ctx, stream.StreamName)
		},
		"deleted and made anew": func(s *site, ctx context.Context, js jetstream.JetStream) error {
			if err := js.DeleteStream(ctx, stream.StreamName); err != nil {
				return err
			}
			return s.conn.Ensure(ctx)
		},
	}
	for what, lose := range lose {
		t.Run(what, func(t *testing.T) {
			s := newSite(t)
			create(t, s.pool, "prj_quiet")
			create(t, s.pool, "prj_busy")
			s.relay()
			named(t, s.pool, "prj_quiet", 3)
			named(t, s.pool, "prj_busy", 3)
			s.level("prj_quiet")
			s.level("prj_busy")
			until(t, "the progress is recorded", func() bool {
				var sent int
				err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM relay_progress WHERE seq = 3`).Scan(&sent)
				return err == nil && sent == 2
			})
			if err := lose(s, t.Context(), s.jetstream()); err != nil {
				t.Fatal(err)
			}
			named(t, s.pool, "prj_busy", 2)
			if at := s.level("prj_quiet"); at.Epoch != 1 {
				t.Errorf("an epoch began: %s", at)
			}
			if at := s.level("prj_busy"); at.Epoch != 1 {
				t.Errorf("an epoch began: %s", at)
			}
			if got := s.positions("prj_quiet"); got != "[1.3]" {
				t.Errorf("a quiet log has %s", got)
			}
		})
	}
}

// A server that comes back without its last messages is filled up without anybody changing the project.
func TestALostTailOfAQuietLogIsSentAgain(t *testing.T) {
	s := newSite(t)
	create(t, s.pool, "prj_a")
	stop := s.relay()
	named(t, s.pool, "prj_a", 5)
	s.level("prj_a")
	stop()
	kept := s.messages("prj_a")[:2]
	js := s.jetstream()
	if err := js.DeleteStream(t.Context(), stream.StreamName); err != nil {
		t.Fatal(err)
	}
	if err := s.conn.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := uint64(0)
	for _, c := range kept {
		e, err := record.Encode(c, record.InlineLimit)
		if err != nil {
			t.Fatal(err)
		}
		if last, err = s.conn.Append(t.Context(), c.Log, c.Position, record.Stamp{}, e.Envelope, last); err != nil {
			t.Fatal(err)
		}
	}
	s.relay()
	s.unbroken("prj_a")
	if got := s.positions("prj_a"); got != "[1.1 1.2 1.3 1.4 1.5]" {
		t.Fatal(got)
	}
}

func TestAnotherMessageOnTheSubjectDoesNotStopTheLog(t *testing.T) {
	s := newSite(t)
	create(t, s.pool, "prj_a")
	if err := s.awaitStream(); err != nil {
		t.Fatal(err)
	}
	named(t, s.pool, "prj_a", 2)
	js := s.jetstream()
	if _, err := js.Publish(t.Context(), "svc.log.prj_a", []byte("no record")); err != nil {
		t.Fatal(err)
	}
	s.relay()
	if at := s.level("prj_a"); at.Seq != 2 {
		t.Fatalf("at %s", at)
	}
}

func (s *site) awaitStream() error {
	until(s.t, "connected", s.conn.Connected)
	return s.conn.Ensure(s.t.Context())
}

func TestADamagedRowStopsItsOwnLogAlone(t *testing.T) {
	s := newSite(t)
	create(t, s.pool, "prj_a")
	create(t, s.pool, "prj_b")
	named(t, s.pool, "prj_a", 3)
	exec(t, s.pool, `UPDATE change SET body = set_byte(body, 13, get_byte(body, 13) + 1) WHERE log = 'prj_a' AND seq = 2`)
	s.relay()
	named(t, s.pool, "prj_b", 3)
	s.unbroken("prj_b")
	until(t, "the changes before it are sent", func() bool { return s.positions("prj_a") == "[1.1]" })
	exec(t, s.pool, `UPDATE change SET body = set_byte(body, 13, get_byte(body, 13) - 1) WHERE log = 'prj_a' AND seq = 2`)
	s.unbroken("prj_a")
}

func TestChangesSurviveAServerThatIsKilledAgainAndAgain(t *testing.T) {
	s := newSite(t)
	create(t, s.pool, "prj_a")
	s.relay()
	s.relay()
	stop := make(chan struct{})
	written := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				written <- nil
				return
			default:
			}
			err := postgres.InTx(context.Background(), s.pool, func(tx pgx.Tx) error { return name(context.Background(), tx, "prj_a", "x") })
			if err != nil {
				written <- err
				return
			}
		}
	}()
	for range 4 {
		before := head(t, s.pool, "prj_a").Seq
		until(t, "more is written", func() bool { return head(t, s.pool, "prj_a").Seq > before+50 })
		s.nats.Kill(t)
		s.nats.Start(t)
	}
	close(stop)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	s.level("prj_a")
	var at record.Position
	for _, c := range s.messages("prj_a") {
		// What a killed server lost is sent again behind what it kept, so the order never breaks; only the beginning may
		// be gone with what the stream keeps per log.
		if at.Seq > 0 && !c.Follows(at) {
			t.Fatalf("%s does not follow %s", c.Position, at)
		}
		at = c.Position
	}
	if at != head(t, s.pool, "prj_a") || at.Epoch != 1 {
		t.Fatalf("ends at %s", at)
	}
}

func TestHeartbeatsTellTheHeads(t *testing.T) {
	s := newSite(t)
	create(t, s.pool, "prj_a")
	at := named(t, s.pool, "prj_a", 2)
	beats := make(chan *record.Heartbeat, 1000)
	stop, err := s.conn.Beats(func(data []byte) {
		beat, err := record.DecodeHeartbeat(data)
		if err != nil {
			t.Error(err)
			return
		}
		beats <- beat
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	heart := &publish.Heart{Core: "core-1", Clock: source(t, s.pool), Stream: s.conn, Log: s.logger(), Every: 20 * time.Millisecond, All: time.Hour}
	background(t, func(ctx context.Context) error { return errors.Join(heart.Run(ctx), ctx.Err()) })
	expect := func(what string, ok func(*record.Heartbeat) bool) {
		t.Helper()
		until(t, what, func() bool {
			select {
			case b := <-beats:
				return b.Core == "core-1" && ok(b)
			case <-time.After(20 * time.Millisecond):
				return false
			}
		})
	}
	lists := func(want record.Position) func(*record.Heartbeat) bool {
		return func(b *record.Heartbeat) bool {
			return len(b.Heads) == 1 && b.Heads[0] == record.Head{Log: "prj_a", Position: want} && !b.Settled.IsZero()
		}
	}
	expect("a beat lists the head", lists(at))
	at = named(t, s.pool, "prj_a", 1)
	expect("a beat lists the new head", lists(at))
	s.nats.Kill(t)
	s.nats.Start(t)
	expect("all heads come after a reconnect", func(b *record.Heartbeat) bool { return b.All() && lists(at)(b) })
}
