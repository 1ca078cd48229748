package changelog

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"

	"svc/core/postgres"
	"svc/replication/record"
	"svc/replication/stream"
)

func TestALostStreamIsFilledAgain(t *testing.T) {
	t.Parallel()
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
		"deleted and made again": func(s *site, ctx context.Context, js jetstream.JetStream) error {
			if err := js.DeleteStream(ctx, stream.StreamName); err != nil {
				return err
			}
			return s.conn.Ensure(ctx)
		},
	}
	for what, lose := range lose {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
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
	t.Parallel()
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

func TestChangesSurviveAServerThatIsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
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
