package changelog

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"svc/core/postgres"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/testrand"
)

func TestTheRelaySendsEverythingInOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := newFixture(t, s.pool, "prj_a")
	many := 60 * testrand.Scale
	named(t, s.pool, "prj_a", many)
	s.relay()
	c.push(1, 2, "old")
	c.release(1, 3, "")
	c.release(2, 0, "delete", "ent_prj_a_000001")
	s.unbroken("prj_a")
	until(t, "the progress is recorded", func() bool {
		var sent int
		err := s.pool.QueryRow(t.Context(), `SELECT seq FROM relay_progress WHERE log = 'prj_a'`).Scan(&sent)
		return err == nil && sent == many+3
	})
}

func TestTwoRelaysAndManyWritersLeaveEachChangeOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	logs := []string{"prj_a", "prj_b", "org_c"}
	for _, log := range logs {
		create(t, s.pool, log)
	}
	s.relay()
	stop := s.relay()
	var g errgroup.Group
	for n := range uint64(4) {
		random := rand.New(rand.NewPCG(1, n))
		g.Go(func() error {
			for range 30 * testrand.Scale {
				log := logs[random.IntN(len(logs))]
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
	t.Parallel()
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

func TestADamagedRowStopsItsOwnLogAlone(t *testing.T) {
	t.Parallel()
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

func TestHeartbeatsTellTheHeads(t *testing.T) {
	t.Parallel()
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
	heart := &publish.Heartbeat{Core: "core-1", Clock: source(t, s.pool), Stream: s.conn, Log: s.logger(), Every: 20 * time.Millisecond, All: time.Hour}
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
