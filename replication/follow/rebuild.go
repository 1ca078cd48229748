package follow

import (
	"context"
	"fmt"
	"slices"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// Rebuild has what the store holds of these logs loaded again from snapshots, beside what it serves meanwhile: for a store
// that came to differ from core. A log that is just worked at is loaded as soon as that has ended, however it ends. No
// reader sees an older state in between: core writes a snapshot at least as new as the store where it has none. A log that
// core does not know is let go. Logs that the store does not hold are left out, and returned; no ids are all logs. What
// fails is tried again until it succeeds or the process ends.
func (f *Follower) Rebuild(ids ...string) (unheld []string) {
	logs := f.all()
	if len(ids) > 0 {
		logs = slices.DeleteFunc(logs, func(l *log) bool { return !slices.Contains(ids, l.id) })
	}
	held := map[string]bool{}
	for _, l := range logs {
		l.mu.Lock()
		if l.at.Seq > 0 {
			l.rebuild, l.asked = true, true
			held[l.id] = true
		}
		l.mu.Unlock()
		f.schedule(l)
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return held[id] })
}

// Rebuilding lists the logs whose rebuilding is not over, by id.
func (f *Follower) Rebuilding() []string {
	var ids []string
	for _, l := range f.all() {
		l.mu.Lock()
		if l.rebuild {
			ids = append(ids, l.id)
		}
		l.mu.Unlock()
	}
	slices.Sort(ids)
	return ids
}

// afresh returns a snapshot that is at least as new as what the store holds; nil where core does not know the log, which
// the store has let go then.
func (f *Follower) afresh(ctx context.Context, l *log) (*recordpb.Manifest, error) {
	beyond := f.Position(l.id)
	beyond.Seq = max(beyond.Seq, 1) - 1
	ref, err := f.cfg.Core.Snapshot(ctx, l.id, beyond)
	if fault.Is(err, fault.NotFound) {
		return nil, f.dropLog(ctx, l)
	}
	if err != nil {
		return nil, err
	}
	return f.openSnapshot(ctx, l, ref)
}

func (f *Follower) dropLog(ctx context.Context, l *log) error {
	if err := f.cfg.Applier.Drop(ctx, l.id); err != nil {
		return &stoppedError{fmt.Errorf("let go of log %s, which core does not know: %w", l.id, err)}
	}
	f.cfg.Logger.Info("core does not know a log; it is let go", "log", l.id)
	f.cfg.Alarms.Clear(telemetry.StoreDiverged, l.id)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.known = record.Position{}, false
	l.moved(record.Position{}, f.cfg.Now())
	return nil
}
