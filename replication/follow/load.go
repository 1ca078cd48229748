package follow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// wantsSnapshot reports whether a snapshot is the better way to catch up: a lot is missing, or nothing is held yet and there is
// one. After a load that failed, changes are tried first.
func (f *Follower) wantsSnapshot(ctx context.Context, l *log) bool {
	l.mu.Lock()
	empty, far, failed := l.at.Seq == 0, l.known && l.behind() > f.cfg.Tuning.FarBehind, l.loadFailures > 0
	l.mu.Unlock()
	if failed || far || !empty {
		return far && !failed
	}
	_, err := snapshot.Latest(ctx, f.cfg.Blobs, l.id)
	return !fault.Is(err, fault.NotFound)
}

// wantLoad has a snapshot loaded. Where that replaces what is being served, edges do not all begin at once.
func (f *Follower) wantLoad(l *log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load = true
	if l.at.Seq > 0 {
		l.loadAfter = later(l.loadAfter, time.Now().Add(rand.N(f.cfg.Tuning.Jitter)))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// loadLog loads a snapshot of a log, and leaves the changes since to a repair. It reports whether that succeeded.
func (f *Follower) loadLog(ctx context.Context, l *log) bool {
	l.mu.Lock()
	rebuild := l.rebuild
	l.load, l.asked = false, false
	l.mu.Unlock()
	choose := f.choose
	if rebuild {
		choose = f.afresh
	}
	begin := time.Now()
	at, err := f.load(ctx, l, choose)
	if ctx.Err() != nil {
		return true
	}
	l.mu.Lock()
	l.repair = err != nil || at.Seq > 0
	if err == nil {
		l.loadFailures, l.unserved, l.useless, l.notBefore = 0, false, at, time.Time{}
		l.rebuild = l.asked
	} else {
		l.loadAfter = time.Now().Add(f.retry(l.loadFailures))
		l.loadFailures++
	}
	unserved := l.unserved
	l.mu.Unlock()
	switch {
	case errors.Is(err, errNoSnapshot) && !rebuild && !unserved: // changes will do
	case err != nil:
		f.cfg.Metrics.loads.WithLabelValues("failed").Inc()
		f.fail(l, err)
	case at.Seq == 0: // it was let go
		f.clearTrouble(l)
	default:
		f.cfg.Metrics.loads.WithLabelValues("loaded").Inc()
		f.cfg.Metrics.loading.Observe(time.Since(begin).Seconds())
		f.cfg.Logger.Info("snapshot loaded", "log", l.id, "at", at, "took", time.Since(begin))
	}
	return err == nil
}

// load replaces what the store holds of a log by the snapshot that is chosen, and returns the position of that.
func (f *Follower) load(ctx context.Context, l *log, choose func(context.Context, *log) (*recordpb.Manifest, error)) (record.Position, error) {
	m, err := choose(ctx, l)
	if err != nil || m == nil {
		return record.Position{}, err
	}
	at := snapshot.At(m)
	if err = f.loadSnapshot(ctx, l, m, at); err == nil {
		f.compare(ctx, l, m)
	}
	l.doubt(at, err)
	return at, err
}

// doubt notes that a snapshot was not as it was written, where that is why it did not load.
func (l *log) doubt(at record.Position, err error) {
	var damaged *snapshot.DamagedError
	if errors.As(err, &damaged) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.useless = at
	}
}

var errNoSnapshot = errors.New("core cannot continue the log from where the store is, and there is no snapshot beyond that yet")

// choose finds a snapshot: any that is stored where nothing is held, else one that core has beyond what the store holds and
// beyond what proved useless. Core, asked for one beyond a damaged one, reads that through and writes it again.
func (f *Follower) choose(ctx context.Context, l *log) (*recordpb.Manifest, error) {
	l.mu.Lock()
	beyond, empty := l.at, l.at.Seq == 0 && !l.unserved && l.useless.Seq == 0
	if snapshot.Before(beyond, l.useless) {
		beyond = l.useless
	}
	l.mu.Unlock()
	if empty {
		m, err := snapshot.Latest(ctx, f.cfg.Blobs, l.id)
		if !fault.Is(err, fault.NotFound) {
			return m, err
		}
	}
	ref, err := f.cfg.Core.Snapshot(ctx, l.id, beyond)
	if fault.Is(err, fault.Conflict) {
		l.mu.Lock()
		l.useless = record.Position{} // where one was damaged, it is whole after all
		l.mu.Unlock()
		err = errNoSnapshot
	}
	if err != nil {
		return nil, err
	}
	return f.openSnapshot(ctx, l, ref)
}

func (f *Follower) openSnapshot(ctx context.Context, l *log, ref snapshot.Ref) (*recordpb.Manifest, error) {
	m, err := snapshot.Open(ctx, f.cfg.Blobs, l.id, ref.Manifest)
	l.doubt(ref.Position, err)
	return m, err
}

// loadSnapshot builds the new state beside the one that is served, and switches.
func (f *Follower) loadSnapshot(ctx context.Context, l *log, m *recordpb.Manifest, at record.Position) error {
	loader, err := f.cfg.Applier.Load(ctx, l.id)
	if err != nil {
		return &stoppedError{fmt.Errorf("begin to load log %s: %w", l.id, err)}
	}
	err = snapshot.Load(ctx, f.cfg.Blobs, m, func(kind record.Kind, body proto.Message) error {
		if err := loader.Add(ctx, kind, body); err != nil {
			return &stoppedError{fmt.Errorf("load a %s of log %s: %w", kind, l.id, err)}
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, loader.Abort())
	}
	if err := loader.Commit(ctx, at); err != nil {
		return &stoppedError{fmt.Errorf("finish to load log %s: %w", l.id, err)}
	}
	l.mu.Lock()
	l.moved(at, f.cfg.Now())
	l.mu.Unlock()
	return nil
}

// compare raises an alarm where the store made something else of a snapshot than core has, and ends it where not.
func (f *Follower) compare(ctx context.Context, l *log, m *recordpb.Manifest) {
	want, _ := record.StateSumFrom(m.StateHash)
	got, held, err := f.cfg.Applier.StateHash(ctx, l.id)
	switch {
	case ctx.Err() != nil:
	case err == nil && held && got == want:
		f.cfg.Alarms.Clear(telemetry.StoreDiverged, l.id)
	default:
		f.cfg.Metrics.diverged.Inc()
		f.cfg.Alarms.Set(telemetry.StoreDiverged, l.id, fmt.Sprintf(
			"after loading the snapshot at sequence %d of epoch %d its state is %s, and %s at core", m.Seq, m.Epoch, got, want))
	}
}
