package core_test

import (
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/core/command"
	"svc/core/rewind"
	"svc/deploy/local/localtest"
	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/fault"
)

// past is three releases, a backup of the database, and three more releases that the stream and an edge have seen.
type past struct {
	*bed
	stopCore, stopEdge func()
	backup             *localtest.Backup
	store              *followtest.Store
	lost               record.Stamp // of the last release
}

func newPast(t *testing.T) *past {
	p := &past{bed: newBed(t)}
	var address string
	address, p.stopCore = p.core()
	p.store, p.stopEdge = p.edge(address)
	for _, title := range []string{"one", "two", "three"} {
		p.release(title)
	}
	p.level(p.store)
	p.backup = localtest.BackUp(t, p.cfg.DatabaseURL)
	for _, title := range []string{"four", "five", "six"} {
		r := p.release(title).Release
		p.lost = record.Stamp{Number: r.Number, Time: r.PublishedAt}
	}
	if p.lost.Number != 6 {
		t.Fatalf("release %d", p.lost.Number)
	}
	p.level(p.store)
	p.until("the stream has the last release", p.streamed)
	return p
}

// streamed tells whether the stream has all of the log.
func (p *past) streamed() bool {
	conn, err := stream.Connect(p.cfg.Stream, p.logger())
	p.OK(err)
	defer conn.Close()
	p.until("connected", conn.Connected)
	m, _, err := conn.Last(p.Context(), string(p.ID))
	return err == nil && m.Position == p.head()
}

// next publishes, and checks that the release comes behind all that were lost, and that the edge holds it and none of
// them.
func (p *past) next(number uint64, kept ...uint64) {
	p.Helper()
	r := p.release("next").Release
	if r.Number != number || !r.PublishedAt.After(p.lost.Time) {
		p.Fatalf("release %d at %s comes after %d at %s; want number %d", r.Number, r.PublishedAt, p.lost.Number, p.lost.Time, number)
	}
	p.level(p.store)
	if got := p.numbers(p.store); !slices.Equal(got, append(kept, number)) {
		p.Errorf("the edge holds releases %v", got)
	}
	if e := p.head().Epoch; e != 2 {
		p.Errorf("epoch %d", e)
	}
}

// TestNoReleaseNumberOrTimeIsGivenTwice takes the database back while core runs, and while it does not; while the stream
// has seen what is lost, and while only an edge has.
func TestNoReleaseNumberOrTimeIsGivenTwice(t *testing.T) {
	t.Parallel()
	t.Run("while core runs", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.backup.Restore(t)
		p.next(7, 1, 2, 3)
		if n := p.logs.count("alarm=database_went_back"); n != 1 {
			t.Errorf("it was said %d times that the database went back", n)
		}
		p.backup.Restore(t) // to the same state as before, once more
		p.lost.Number++
		r := p.release("again").Release
		if r.Number != 8 {
			t.Errorf("release %d after another restore", r.Number)
		}
		p.level(p.store)
	})
	t.Run("twice, with nothing published between", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.backup.Restore(t)
		p.until("the epoch begins", func() bool { return p.head().Epoch == 2 })
		p.level(p.store)
		p.backup.Restore(t)
		p.until("another epoch begins", func() bool { return p.head().Epoch == 3 })
		if r := p.release("next").Release; r.Number != 7 || !r.PublishedAt.After(p.lost.Time) {
			t.Errorf("release %d at %s after those that were lost ended with %d at %s", r.Number, r.PublishedAt, p.lost.Number, p.lost.Time)
		}
		p.level(p.store)
	})
	t.Run("before core starts", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.stopCore()
		p.stopEdge()
		p.backup.Restore(t)
		address, _ := p.core()
		r := p.release("next").Release
		if r.Number != 7 || !r.PublishedAt.After(p.lost.Time) {
			t.Fatalf("release %d at %s", r.Number, r.PublishedAt)
		}
		store, _ := p.edge(address)
		p.level(store)
	})
	t.Run("only an edge knows", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.until("the edge has reported what it holds", p.reported)
		p.stopCore()
		p.loseStream()
		p.backup.Restore(t)
		address, _ := p.core()
		p.stopEdge() // it went on asking the former address
		r := p.release("next").Release
		if r.Number != 7 || !r.PublishedAt.After(p.lost.Time) {
			t.Fatalf("release %d at %s", r.Number, r.PublishedAt)
		}
		store, _ := p.edge(address)
		p.level(store)
	})
	t.Run("only a snapshot knows", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.snapshot()
		p.stopCore()
		p.stopEdge()
		p.loseStream()
		p.backup.Restore(t)
		p.core()
		if r := p.release("next").Release; r.Number != 7 || !r.PublishedAt.After(p.lost.Time) {
			t.Fatalf("release %d at %s", r.Number, r.PublishedAt)
		}
	})
}

// loseStream deletes the stream; the bucket of reports stays.
func (p *past) loseStream() {
	p.Helper()
	nc, err := nats.Connect(p.nats.URL)
	p.OK(err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	p.OK(err)
	p.OK(js.DeleteStream(p.Context(), stream.StreamName))
}

// reported tells whether the edge's report is of the last release.
func (p *past) reported() bool {
	conn, err := stream.Connect(stream.Config{URL: p.nats.URL, Name: "test"}, p.logger())
	p.OK(err)
	defer conn.Close()
	p.until("connected", conn.Connected)
	reports, err := conn.Reports(p.Context())
	p.OK(err)
	for _, r := range reports {
		report, err := follow.DecodeReport(r.Data)
		p.OK(err)
		for _, l := range report.Positions {
			if l.Log == string(p.ID) && l.Release != nil && *l.Release == p.lost.Number {
				return true
			}
		}
	}
	return false
}

func (p *past) snapshot() {
	p.Helper()
	w := &snapshot.Writer{Source: p.source, Blobs: p.blobs, Dir: p.TempDir()}
	_, err := w.Write(p.Context(), string(p.ID))
	p.OK(err)
}

// Nothing is published between the restore and the comparison, which needs the stream.
func TestPublishingWaitsUntilTheDatabaseWasCompared(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	before := p.logs.count("alarm=publishing_suspended")
	p.nats.Stop(t)
	p.backup.Restore(t)
	p.head() // the pool is connected again
	if _, err := p.tryRelease("early"); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("published without the stream: %v", err)
	}
	p.until("the alarm is on", func() bool { return p.logs.count("alarm=publishing_suspended") > before })
	p.nats.Start(t)
	p.next(7, 1, 2, 3)
	if n := p.logs.count("alarm=publishing_suspended") - before; n != 2 {
		t.Errorf("%d lines about the alarm instead of its beginning and its end", n)
	}
}

func TestRecoverGoesOnBehindWhatItCanSee(t *testing.T) {
	t.Parallel()
	t.Run("by the stream", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.stopCore()
		p.backup.Restore(t)
		p.head()
		log := string(p.ID)
		dry, err := command.Recover(t.Context(), p.cfg, command.RecoverOptions{Options: rewind.Options{DryRun: true}}, p.logger())
		p.OK(err)
		if len(dry.Logs) != 1 || dry.Logs[0].Loss.Log != log || dry.Logs[0].Now.Number != 6 || dry.Compared || p.head().Epoch != 1 {
			t.Fatalf("%+v, then epoch %d", dry, p.head().Epoch)
		}
		done, err := command.Recover(t.Context(), p.cfg, command.RecoverOptions{}, p.logger())
		p.OK(err)
		if len(done.Logs) != 1 || done.Logs[0].Now.Number != 6 || !done.Logs[0].Now.Time.Equal(p.lost.Time) || !done.Compared || p.head().Epoch != 2 {
			t.Fatalf("%+v, then epoch %d", done, p.head().Epoch)
		}
		again, err := command.Recover(t.Context(), p.cfg, command.RecoverOptions{}, p.logger())
		p.OK(err)
		if len(again.Logs) != 0 || !again.Compared {
			t.Errorf("the second time: %+v", again)
		}
		if r := p.release("next").Release; r.Number != 7 { // no core runs
			t.Errorf("release %d", r.Number)
		}
	})
	t.Run("by a snapshot and a margin, without the stream", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.snapshot()
		p.release("seven")
		p.stopCore()
		p.nats.Kill(t)
		p.backup.Restore(t)
		p.head()
		if _, err := command.Recover(t.Context(), p.cfg, command.RecoverOptions{}, p.logger()); err == nil {
			t.Fatal("it did not say that the stream is away")
		}
		if _, err := p.tryRelease("early"); !fault.Is(err, fault.Unavailable) {
			t.Fatalf("published before the database was compared: %v", err)
		}
		done, err := command.Recover(t.Context(), p.cfg, command.RecoverOptions{WithoutStream: true, Options: rewind.Options{Skip: 10}}, p.logger())
		p.OK(err)
		if len(done.Logs) != 1 || done.Logs[0].Now.Number != 16 || !done.Compared {
			t.Fatalf("%+v", done)
		}
		again, err := command.Recover(t.Context(), p.cfg, command.RecoverOptions{WithoutStream: true, Options: rewind.Options{Skip: 3}}, p.logger())
		p.OK(err)
		if len(again.Logs) != 0 {
			t.Errorf("fewer than are left out already: %+v", again)
		}
		if r := p.release("next").Release; r.Number != 17 {
			t.Errorf("release %d", r.Number)
		}
	})
	t.Run("by an edge that asks", func(t *testing.T) {
		t.Parallel()
		p := newPast(t)
		p.stopCore()
		p.stopEdge()
		p.loseStream()
		p.backup.Restore(t)
		p.head()
		held, err := p.store.Content(t.Context(), string(p.ID))
		p.OK(err)
		tail, raised, err := rewind.ChangesAfter(t.Context(), p.Pool, string(p.ID), p.store.At(string(p.ID)), &held.Newest)
		if err != nil || tail.Head.Epoch != 2 || raised.Now != p.lost || raised.Was.Number != 3 {
			t.Errorf("%+v, %+v, %v", tail.Head, raised, err)
		}
	})
}

// What a project lost that was made after the backup is told, and nothing is made of it.
func TestRecoverTellsOfLogsThatAreGone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, stop := b.core()
	b.release("one")
	backup := localtest.BackUp(t, b.cfg.DatabaseURL)
	b.until("the database answers", func() bool { return b.Pool.Ping(t.Context()) == nil })
	made := b.newProject("young")
	b.until("the stream has the new project", func() bool { return b.onStream(made) })
	stop()
	backup.Restore(t)
	b.head()
	done, err := command.Recover(t.Context(), b.cfg, command.RecoverOptions{}, b.logger())
	b.OK(err)
	i := slices.IndexFunc(done.Logs, func(l rewind.RecoveredLog) bool { return l.Gone })
	if i < 0 || done.Logs[i].Loss.Log != made || done.Logs[i].Any() {
		t.Errorf("%+v", done)
	}
}
