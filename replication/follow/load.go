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

// wantsSnapshot reports whether a snapshot is the better way to catch up: nothing is held yet, or a lot is missing.
// After a load that failed, changes are tried first.
func (f *Follower) wantsSnapshot(l *log) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loadFailures > 0 || l.loadUseless {
		return false
	}
	return l.at.Seq == 0 || l.known && l.behind() > f.cfg.Tuning.FarBehind
}

// withoutSnapshot reports whether a log that is not held yet is short and has no snapshot, as most logs: its changes are
// taken then.
func (f *Follower) withoutSnapshot(ctx context.Context, l *log) bool {
	l.mu.Lock()
	short := l.known && l.at.Seq == 0 && l.head.Seq <= f.cfg.Tuning.FarBehind
	l.mu.Unlock()
	if !short {
		return false
	}
	_, err := snapshot.Latest(ctx, f.cfg.Blobs, l.id)
	return fault.Is(err, fault.NotFound)
}

// wantLoad has a snapshot loaded. Where that replaces what is being served, edges do not all begin at once.
func (f *Follower) wantLoad(l *log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load = true
	if l.at.Seq > 0 {
		l.notBefore = later(l.notBefore, time.Now().Add(rand.N(f.cfg.Tuning.Jitter)))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// loadLog loads a snapshot of a log, and leaves the changes since to a repair.
func (f *Follower) loadLog(ctx context.Context, l *log) {
	l.mu.Lock()
	choose, rebuild := f.choose, l.rebuilding
	l.mu.Unlock()
	if rebuild {
		choose = f.afresh
	}
	m, err := choose(ctx, l)
	if err == nil && m != nil {
		begin := time.Now()
		err = f.loadSnapshot(ctx, l, m)
		l.doubt(snapshot.At(m), err)
		f.cfg.Metrics.load(err, time.Since(begin))
	}
	if ctx.Err() != nil {
		return
	}
	if rebuild && m == nil && err == nil { // it was let go
		f.well(l)
		return
	}
	l.mu.Lock()
	l.repair = true
	switch {
	case err != nil:
		l.loadFailures++
	case m == nil && l.unserved:
		err = errNoSnapshot
	case m == nil:
		l.loadUseless = true
	default:
		l.loadFailures, l.loadUseless, l.unserved, l.loaded, l.unsound = 0, false, false, snapshot.At(m), record.Position{}
		l.notBefore = time.Time{}
	}
	f.rebuilt(l, err)
	l.mu.Unlock()
	if err != nil {
		f.fail(l, err, stops(err))
	}
}

var errNoSnapshot = errors.New("core cannot continue the log from where the store is, and there is no snapshot beyond that yet")

// stops tells errors that an operator has to look at from those that pass.
func stops(err error) bool {
	var unknown *record.UnknownError
	var store *storeError
	return errors.As(err, &unknown) || errors.As(err, &store)
}

// storeError is a store that does not take what it is given.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// doubt notes that a snapshot was not as it was written, where that is why it did not load.
func (l *log) doubt(at record.Position, err error) {
	var unsound *snapshot.UnsoundError
	if errors.As(err, &unsound) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.unsound = at
	}
}

// choose finds a snapshot beyond what the store holds, beyond the one loaded last and beyond one that was found damaged;
// nil where there is none. Core, asked for one beyond a damaged one, reads that through, and where it has no other to
// offer then, it was whole after all.
func (f *Follower) choose(ctx context.Context, l *log) (*recordpb.Manifest, error) {
	l.mu.Lock()
	beyond, held, head, known := l.at, l.at.Seq > 0, l.head, l.known
	if snapshot.Before(beyond, l.loaded) {
		beyond = l.loaded
	}
	unsound, unserved := l.unsound, l.unserved
	l.mu.Unlock()
	stored, storedErr := snapshot.Latest(ctx, f.cfg.Blobs, l.id)
	if fault.Is(storedErr, fault.NotFound) {
		storedErr = nil // there is none, or a newer one is just replacing it
	}
	if stored != nil && !snapshot.Before(beyond, snapshot.At(stored)) {
		stored = nil
	}
	var doubted *recordpb.Manifest
	if snapshot.Before(beyond, unsound) {
		beyond = unsound
		if stored != nil && !snapshot.Before(unsound, snapshot.At(stored)) {
			stored, doubted = nil, stored
		}
	}
	near := func(m *recordpb.Manifest) bool {
		return m != nil && (!known || m.Epoch >= head.Epoch && m.Seq+f.cfg.Tuning.FarBehind >= head.Seq)
	}
	small := known && !held && head.Seq <= f.cfg.Tuning.FarBehind && stored == nil && doubted == nil && !unserved
	if near(stored) || small {
		return stored, nil
	}
	if known && head.Epoch == beyond.Epoch && head.Seq > beyond.Seq && doubted == nil { // one that is worth it
		beyond.Seq += (head.Seq - beyond.Seq) / 2
	}
	ref, err := f.cfg.Core.Snapshot(ctx, l.id, beyond)
	switch {
	case err == nil:
		m, err := snapshot.Open(ctx, f.cfg.Blobs, l.id, ref.Manifest)
		l.doubt(ref.Position, err)
		return m, err
	case stored != nil:
		return stored, nil
	case fault.Is(err, fault.Conflict):
		return doubted, nil
	}
	return nil, errors.Join(err, storedErr)
}

// loadSnapshot replaces what the store holds of a log by a snapshot.
func (f *Follower) loadSnapshot(ctx context.Context, l *log, m *recordpb.Manifest) error {
	begin := time.Now()
	loader, err := f.cfg.Applier.Load(ctx, l.id)
	if err != nil {
		return &storeError{fmt.Errorf("begin to load log %s: %w", l.id, err)}
	}
	err = snapshot.Load(ctx, f.cfg.Blobs, m, func(kind record.Kind, body proto.Message) error {
		if err := loader.Add(ctx, kind, body); err != nil {
			return &storeError{fmt.Errorf("load a %s of log %s: %w", kind, l.id, err)}
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, loader.Abort())
	}
	if err := loader.Commit(ctx, snapshot.At(m)); err != nil {
		return &storeError{fmt.Errorf("finish to load log %s: %w", l.id, err)}
	}
	l.mu.Lock()
	l.moved(snapshot.At(m), f.cfg.Now())
	l.mu.Unlock()
	f.cfg.Logger.Info("snapshot loaded", "log", l.id, "at", snapshot.At(m), "took", time.Since(begin))
	f.compare(ctx, l, m)
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
		detail := fmt.Sprintf("after loading the snapshot at sequence %d of epoch %d its state is %s, and %s at core", m.Seq, m.Epoch, got, want)
		if err != nil {
			detail += ": " + err.Error()
		}
		f.cfg.Alarms.Set(telemetry.StoreDiverged, l.id, detail)
	}
}
