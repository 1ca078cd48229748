package publish

import (
	"context"
	"fmt"
	"time"

	"svc/shared/telemetry"
)

// watchHistory looks whether the database may have gone back since all logs were compared, and has them compared then.
// Nothing is published meanwhile.
func (r *Relay) watchHistory(ctx context.Context) error {
	_, checked, err := r.History.Incarnation(ctx)
	if err != nil {
		return err
	}
	r.Alarms.When(!checked, telemetry.PublishingSuspended, "",
		"the database was started anew or restored; releases wait until all logs are compared with the stream, which has to be reachable for it")
	if !checked {
		r.wantVerify()
	}
	return nil
}

// checkPatience is for a comparison in which every log has lost changes.
const checkPatience = 15 * time.Minute

// check compares all logs with what others saw of them, unless that was done since the database may last have gone back.
// Releases are published only afterwards, so none gets a number or a time that a lost one had.
func (r *Relay) check(ctx context.Context) error {
	incarnation, checked, err := r.History.Incarnation(ctx)
	if err != nil || checked {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	begin := time.Now()
	if err := r.recall(ctx); err != nil {
		return err
	}
	lost := 0
	err = r.examiner().Run(ctx, func(l Loss) error { lost++; return r.wentBack(ctx, l) })
	if err != nil {
		return err
	}
	if ours, err := r.History.Vouch(ctx, incarnation); err != nil || !ours {
		return err // another incarnation is compared the next time
	}
	r.Alarms.Clear(telemetry.PublishingSuspended, "")
	r.Log.Info("the database was compared with what others saw of it; releases can be published", "took", time.Since(begin), "logsWithLosses", lost)
	return nil
}

// lossShown is how long the alarm about a loss is on: the loss stays, and somebody has to learn of it.
const lossShown = time.Hour

func (r *Relay) examiner() *Examiner {
	return &Examiner{Source: r.Source, History: r.History, Stream: r.Stream, Blobs: r.Blobs, Claims: r.Claims}
}

// wentBack takes a loss in, and has the log's new epoch begun on the stream.
func (r *Relay) wentBack(ctx context.Context, l Loss) error {
	if len(l.By) == 0 || l.Gone {
		return nil
	}
	raised, err := r.History.WentBack(ctx, l.Log, l.Lost)
	if err != nil {
		return err
	}
	if raised.Any() {
		r.Metrics.epochs.Inc()
		r.Alarms.SetFor(lossShown, telemetry.DatabaseWentBack, l.Log, fmt.Sprintf(
			"%s was at %s and the database is at %s; the log is in epoch %d now, edges that saw the lost changes load it anew, and "+
				"the next release of a project comes after number %d", l.By[0], l.Seen, l.Head, raised.Epoch, raised.Now.Number))
		r.tips.forget(l.Log)
		r.queue.add(l.Log)
	}
	return nil
}
