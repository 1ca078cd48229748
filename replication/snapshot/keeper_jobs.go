package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/shared/fault"
	"svc/shared/telemetry"
)

const (
	shortestRest = 30 * time.Second
	longestRest  = 10 * time.Minute
	// alarmingTries is how many failures in a row are an alarm: one may be a moment's.
	alarmingTries = 2
)

// perform writes one snapshot and tidies up after it.
func (k *Keeper) perform(ctx context.Context, j *job) {
	defer k.finish(j)
	begin := time.Now()
	mine, err := k.schedule.Exclusive(ctx, j.log, func(ctx context.Context) (err error) {
		if err := k.doubt(ctx, j); err != nil {
			return err
		}
		if j.ref, err = k.writer.Write(ctx, j.log); err != nil {
			return err
		}
		if err := k.tidy(ctx, j.log, j.ref.Position.Seq); err != nil && ctx.Err() == nil { // the snapshot is there all the same
			k.cfg.Metrics.untidy.Inc()
			k.cfg.Logger.Warn("tidying up after a snapshot; the next one does it", "log", j.log, "error", err)
		}
		return nil
	})
	if err == nil && !mine {
		err = &fault.Error{Code: fault.Unavailable, Detail: "another core is writing a snapshot of this log", RetryAfter: 2 * time.Second}
	}
	j.err = err
	switch {
	case err == nil:
		k.cfg.Metrics.seconds.Observe(time.Since(begin).Seconds())
		k.wake(j.log)
		k.cfg.Logger.Info("snapshot written", "log", j.log, "at", j.ref.Position, "took", time.Since(begin))
	case !mine, ctx.Err() != nil, fault.Is(err, fault.NotFound): // no such log
	case errors.Is(err, ErrNotNewer):
		k.wake(j.log)
	default:
		k.cfg.Metrics.failures.Inc()
		rest := k.sleep(j.log)
		k.cfg.Logger.Warn("writing a snapshot; it is tried again later", "log", j.log, "error", err, "until", rest.time, "tries", rest.tries)
		if rest.tries >= alarmingTries {
			k.cfg.Alarms.Set(telemetry.SnapshotFailing, j.log, fmt.Sprintf("%d tries failed, the last with: %v", rest.tries, err))
		}
	}
}

// doubt reads the newest snapshot through where the job was asked for one beyond it. That it was not whole is no failure:
// the job mends that.
func (k *Keeper) doubt(ctx context.Context, j *job) error {
	k.mu.Lock()
	beyond := j.beyond
	k.mu.Unlock()
	refs, err := k.writer.Source.Recorded(ctx, j.log, 1)
	if err != nil || len(refs) == 0 || refs[0].Position != beyond {
		return err
	}
	err = k.writer.VerifyOrForget(ctx, refs[0])
	var damaged *DamagedError
	if !errors.As(err, &damaged) {
		return err
	}
	k.cfg.Logger.Error("a snapshot is not whole; it is written again", "log", j.log, "at", refs[0].Position, "error", err)
	return nil
}

// tidy deletes what the newest three snapshots make superfluous, objects first.
func (k *Keeper) tidy(ctx context.Context, log string, at uint64) error {
	if err := k.writer.Sweep(ctx, log); err != nil {
		return fmt.Errorf("delete old snapshots of %s: %w", log, err)
	}
	// A snapshot is read through before changes go, so that is not done for a few of them.
	k.mu.Lock()
	worth := at >= k.pruneAt[log]
	k.mu.Unlock()
	if !worth {
		return nil
	}
	pruned, err := Prune(ctx, k.writer, k.schedule, log, k.cfg.KeepChanges)
	k.cfg.Metrics.pruned.Add(float64(pruned))
	if err == nil {
		k.mu.Lock()
		k.pruneAt[log] = at + k.cfg.KeepChanges/10
		k.mu.Unlock()
	}
	return err
}

// Prune deletes the changes of a log that the oldest of its newest three snapshots covers, after reading that snapshot
// through: where it is not whole, nothing is deleted, and what is damaged is written again next time; keep of the newest changes stay in any case. It returns how many it deleted.
func Prune(ctx context.Context, w *Writer, s Schedule, log string, keep uint64) (int64, error) {
	refs, err := w.Source.Recorded(ctx, log, Kept)
	if err != nil || len(refs) < Kept {
		return 0, err
	}
	oldest := refs[Kept-1]
	if refs[0].Position.Seq <= keep {
		return 0, nil
	}
	if err := w.VerifyOrForget(ctx, oldest); err != nil {
		return 0, fmt.Errorf("verify a snapshot of %s before pruning below it: %w", log, err)
	}
	return s.Prune(ctx, log, oldest.Position.Seq, keep)
}

func (k *Keeper) resting(log string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Now().Before(k.rest[log].time)
}

// sleep leaves a log alone for a while, longer each time.
func (k *Keeper) sleep(log string) restUntil {
	k.mu.Lock()
	defer k.mu.Unlock()
	tries := k.rest[log].tries
	k.rest[log] = restUntil{time.Now().Add(min(shortestRest<<min(tries, 10), longestRest)), tries + 1}
	return k.rest[log]
}

func (k *Keeper) wake(log string) {
	k.mu.Lock()
	delete(k.rest, log)
	k.mu.Unlock()
	k.cfg.Alarms.Clear(telemetry.SnapshotFailing, log)
}

// recovered wakes logs that rested and are not among all that are due: another core has written their snapshots, or
// no one wants one any more.
func (k *Keeper) recovered(due []string) {
	var over []string
	k.mu.Lock()
	for log, r := range k.rest {
		if time.Now().After(r.time) && !slices.Contains(due, log) {
			over = append(over, log)
		}
	}
	k.mu.Unlock()
	for _, log := range over {
		k.wake(log)
	}
}
