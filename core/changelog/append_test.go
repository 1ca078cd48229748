package changelog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"svc/core/postgres"
	"svc/replication/record"
)

func TestTheDatabaseChainsAsRecordDoes(t *testing.T) {
	t.Parallel()
	pool := database(t)
	create(t, pool, "prj_a")
	var want record.Position
	want.Epoch = 1
	for i := range 30 {
		kind := []record.Kind{record.KindProject, record.KindRank, record.KindRelease, record.KindSchema}[i%4]
		digest := record.Hash{byte(i), 0, 0xff}
		want.Seq++
		want.Chain = record.Link(want.Chain, want.Seq, kind, digest)
		inTx(t, pool, func(tx pgx.Tx) error {
			got, err := Append(t.Context(), tx, "prj_a", kind, digest, int64(i), nil)
			if err == nil && got != want {
				return fmt.Errorf("change %d leads to %s, want %s", i, got, want)
			}
			return err
		})
	}
	if got := head(t, pool, "prj_a"); got != want {
		t.Fatalf("head %s, want %s", got, want)
	}
}

func TestAppendToALogThatIsNotThereFails(t *testing.T) {
	t.Parallel()
	pool := database(t)
	err := postgres.InTx(t.Context(), pool, func(tx pgx.Tx) error { return name(t.Context(), tx, "prj_none", "x") })
	if err == nil {
		t.Fatal("a change of no log was taken")
	}
}

// Writers append and give up at random, while a reader looks: whenever it does, the numbers up to the head are all there
// and nothing is above it, so commits happen in the order of the numbers.
func TestConcurrentAppendsLeaveNoGapsAndCommitInOrder(t *testing.T) {
	t.Parallel()
	pool := database(t)
	create(t, pool, "prj_a")
	giveUp := errors.New("give up")
	var writers errgroup.Group
	var looks atomic.Int32
	for n := range uint64(8) {
		random := rand.New(rand.NewPCG(2, n))
		writers.Go(func() error {
			for i := 0; i < 40 || looks.Load() < 10; i++ {
				err := postgres.InTx(t.Context(), pool, func(tx pgx.Tx) error {
					err := name(t.Context(), tx, "prj_a", "x")
					if err == nil && random.IntN(4) == 0 {
						return giveUp
					}
					return err
				})
				if err != nil && !errors.Is(err, giveUp) {
					return err
				}
			}
			return nil
		})
	}
	done := make(chan error, 1)
	go func() { done <- writers.Wait() }()
	for last := int64(0); ; looks.Add(1) {
		var seq, count, highest int64
		err := pool.QueryRow(t.Context(), `SELECT h.seq, count(c.seq), coalesce(max(c.seq), 0)
			FROM log_head h LEFT JOIN change c USING (log) GROUP BY h.log, h.seq`).Scan(&seq, &count, &highest)
		if err != nil {
			t.Fatal(err)
		}
		if seq != count || seq != highest || seq < last {
			t.Fatalf("head %d after %d, with %d changes up to %d", seq, last, count, highest)
		}
		last = seq
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			var broken int
			err = pool.QueryRow(t.Context(), `SELECT count(*) FROM change a JOIN change b ON b.log = a.log AND b.seq = a.seq + 1
				WHERE b.prev <> a.chain OR b.chain <> sha256(b.prev || int8send(b.seq) || convert_to(b.kind, 'UTF8') || b.digest)`).Scan(&broken)
			if err != nil || broken != 0 {
				t.Fatalf("%d broken links, %v", broken, err)
			}
			return
		default:
		}
	}
}
