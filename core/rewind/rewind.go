// Package rewind is what happens when PostgreSQL is older than what others have seen of it: it was restored from a backup, a
// replica without the last changes was promoted, or its machine was set back. Changes are lost then, and must not be mixed up
// with those that come in their place: no release number or time is given twice, and edges drop what was lost.
//
// The database is checked or not. The table history_check holds the name (incarnation) that it had when all logs were last
// compared with what others saw; each start of the server, and a database created again, has another name.
//
//	checked    releases are published. A publish looks in its own transaction (CheckedSQL)
//	unchecked  a publish is refused as UNAVAILABLE and the alarm publishing_suspended is on; all else goes on
//
//	any → unchecked      Arm: the first core ever starts on the database
//	checked → unchecked  the server is started or replaced: the name is another
//	checked → unchecked  the database has written less than a moment ago under the same name (Guard): it was set back alive
//	unchecked → checked  a core compared all logs with the stream, the edges and, of logs that the stream does not have, the
//	                     snapshots (Guard), or an operator had them compared with the snapshots too (Recover). Where the name
//	                     has changed meanwhile it stays unchecked
//
// A log is in an epoch. Somebody who holds a position of it that the log never had, or an epoch that it does not know, proves
// a loss:
//
//	level → raised  the epoch becomes greater than that of the lost changes, and the next release of a project comes behind
//	                the lost ones in number and time. What is above already stays, so a second proof changes nothing. The
//	                relay sends the newest change again in the new epoch; edges that hold lost changes reload the log
//	level → gone    the database does not have the log at all: it was begun after the backup. That is told, and no more
//
// Proofs are what this core committed (Commits; looked at whenever the name changes, also if another core has compared
// the logs, and whenever a publish finds a greater number there), the last message on the stream, what edges report, the
// newest snapshot, an edge that asks for changes (Gap), and a message behind which the relay was to send (Guard.WentBack).
package rewind

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"svc/core/changelog"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/shared/lifecycle"
	"svc/shared/telemetry"
)

// Guard finds out when the database may have gone back, and has its logs compared before releases are published again.
type Guard struct {
	pool    *pgxpool.Pool
	commits *changelog.Commits
	with    Comparison
	alarms  *telemetry.Alarms
	log     *slog.Logger
	raised  prometheus.Counter

	last   moment
	latest time.Time // that the database's clock ever showed
	seenIn string    // the incarnation that was compared with commits
}

// New returns the guard of a database that is compared with what others saw. Commits are those of this core.
func New(pool *pgxpool.Pool, commits *changelog.Commits, with Comparison, alarms *telemetry.Alarms, log *slog.Logger, r prometheus.Registerer) *Guard {
	g := &Guard{pool: pool, commits: commits, with: with, alarms: alarms, log: log, raised: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "svc_relay_epochs_total", Help: "Logs found on the stream beyond the database, which went back.",
	})}
	if r != nil {
		r.MustRegister(g.raised)
	}
	return g
}

const (
	lookEvery = 500 * time.Millisecond
	lookTime  = 10 * time.Second
	// compareTime is for a comparison in which every log has lost changes.
	compareTime = 15 * time.Minute
	// lossShown is how long the alarm about a loss is on: the loss stays, and somebody has to learn of it.
	lossShown = time.Hour
)

// Run guards until the context ends.
func (g *Guard) Run(ctx context.Context) error {
	failing := false
	lifecycle.Every(ctx, lookEvery, func() {
		err := g.look(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			g.log.Warn("it cannot be found out whether the database went back; trying again", "error", err)
		}
		failing = err != nil
	})
	return nil
}

func (g *Guard) look(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	now, err := g.readMoment(asking)
	if err != nil {
		return err
	}
	if err := g.follow(asking, &now); err != nil {
		return err
	}
	g.alarms.When(!now.checked, telemetry.PublishingSuspended, "",
		"the database was restarted or restored; releases wait until all logs are compared with the stream, which has to be reachable for it")
	if behind := g.commits.Behind.Swap(false); behind || g.seenIn != now.incarnation {
		g.seenIn = ""
		if err := g.compareSeen(ctx); err != nil {
			return err
		}
		g.seenIn = now.incarnation
	}
	if now.checked || !g.with.Stream.Connected() {
		return nil
	}
	return g.compare(ctx, now.incarnation)
}

// compare compares all logs with what others saw of them. Releases are published only afterwards, so none gets a number or a
// time that a lost one had.
func (g *Guard) compare(ctx context.Context, incarnation string) error {
	ctx, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	begin, lost := time.Now(), 0
	if err := g.with.Stream.Ensure(ctx); err != nil { // a server that restarted keeps no reports, and another one no stream
		return err
	}
	err := g.with.Run(ctx, func(l Loss) error { lost++; return g.wentBack(ctx, l) })
	if err != nil {
		return err
	}
	if ours, err := markCompared(ctx, g.pool, incarnation); err != nil || !ours {
		return err // another incarnation is compared the next time
	}
	g.alarms.Clear(telemetry.PublishingSuspended, "")
	g.log.Info("the database was compared with what others saw of it; releases can be published", "took", time.Since(begin), "logsWithLosses", lost)
	return nil
}

// wentBack raises a log that has a loss, and has its new epoch begun on the stream.
func (g *Guard) wentBack(ctx context.Context, l Loss) error {
	if len(l.By) == 0 || l.Gone {
		return nil
	}
	raised, err := raiseEpoch(ctx, g.pool, l.Log, l.Lost, false)
	if err != nil || !raised.Any() {
		return err
	}
	g.raised.Inc()
	g.alarms.SetFor(lossShown, telemetry.DatabaseWentBack, l.Log, fmt.Sprintf(
		"%s was at %s and the database is at %s; the log is in epoch %d now, edges that saw the lost changes load it again, and "+
			"the next release of a project comes after number %d", l.By[0], l.Seen, l.Head, raised.Epoch, raised.Now.Number))
	g.commits.Wake(l.Log)
	return nil
}

// WentBack is called by the relay where the last message of a log is none that the database ever wrote, or of an epoch that
// it does not know: what the lost messages tell of releases is taken in before anything hides them.
func (g *Guard) WentBack(ctx context.Context, log string, at record.Position, given record.Stamp) error {
	known, err := g.with.Source.Prove(ctx, log, at)
	if err != nil {
		return err
	}
	loss, err := judge(ctx, g.with.Source, record.Head{Log: log, Position: known.Head}, known.Given, []Claim{{log, theStream, at, &given}})
	if err != nil {
		return err
	}
	return g.wentBack(ctx, loss)
}

// compareSeen raises every log that is behind what this core committed. It needs no stream.
func (g *Guard) compareSeen(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	seen := g.commits.All() // before the heads: what is committed meanwhile is no loss
	if len(seen) == 0 {
		return nil
	}
	return heads(ctx, g.with.Source, func(h record.Head, given record.Stamp) error {
		s, ok := seen[h.Log]
		if !ok {
			return nil
		}
		loss, err := judge(ctx, g.with.Source, h, given, []Claim{{h.Log, "this core", s.At, &s.Given}})
		if err != nil {
			return err
		}
		return g.wentBack(ctx, loss)
	})
}

// Behind reports whether this core gave a greater number or a later time than the database, which the transaction
// holds, has given last: then the database went back, and its logs are compared with what this core committed soon.
func Behind(tx pgx.Tx, project string, last record.Stamp) bool {
	c := changelog.CommitsIn(tx)
	if c == nil || last.Join(c.Of(project).Given) == last {
		return false
	}
	c.Behind.Store(true)
	return true
}

// After answers an edge, as Gap does.
func (g *Guard) After(ctx context.Context, log string, at record.Position, newest *record.Stamp) (publish.Tail, error) {
	t, raised, err := ChangesAfter(ctx, g.pool, log, at, newest)
	if err == nil && raised.Any() {
		g.log.Error("the database went back: an edge holds changes that it does not have; the log gets a new epoch, edges that saw "+
			"those changes load it again, and releases go on behind the lost ones", "log", log, "edge", at.String(),
			"epoch", raised.Epoch, "lastRelease", raised.Now.Number)
		g.commits.Wake(log) // the relay begins the epoch on the stream
	}
	return t, err
}
