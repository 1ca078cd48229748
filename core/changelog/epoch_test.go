package changelog

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/replication/publish"
	"svc/replication/record"
)

func TestADatabaseThatWentBackBeginsAnEpoch(t *testing.T) {
	t.Parallel()
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
			t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
