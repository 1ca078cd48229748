package core

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"svc/core/changelog"
	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// audit compares what edges report to hold with what the database has: for logs that are where an edge says that it is,
// the state hash, which the database adds up anew each time. An edge that differs twice in a row, in two reports of one
// position, is an alarm. Every core does this for itself.
type audit struct {
	pool   *pgxpool.Pool
	source *changelog.Source
	stream *stream.Conn
	alarms *telemetry.Alarms
	logger *slog.Logger

	equal, different prometheus.Counter

	logs map[string]*audited
}

// audited is what was found out about a log.
type audited struct {
	at    record.Position // where it was added up last
	sum   record.StateSum
	doubt map[string]time.Time // edges that differ there, with the report that first said so
	level map[string]bool      // edges that were found equal there
}

const (
	auditEvery = 10 * time.Second
	// auditTime is how long one round adds up at most, apart from its last log: a twentieth of the time.
	auditTime = auditEvery / 20
)

func newAudit(c *Core, r prometheus.Registerer) *audit {
	compared := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "svc_audit_compared_total", Help: "States reported by edges that were compared with the database.",
	}, []string{"result"})
	r.MustRegister(compared)
	return &audit{
		pool: c.pool, source: c.source, stream: c.stream, alarms: c.alarms, logger: c.logger, logs: map[string]*audited{},
		equal: compared.WithLabelValues("equal"), different: compared.WithLabelValues("different"),
	}
}

func (a *audit) run(ctx context.Context) error {
	tick := time.NewTicker(auditEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !a.stream.Connected() {
			continue
		}
		if err := a.round(ctx); err != nil && ctx.Err() == nil {
			a.logger.Debug("what edges hold could not be compared; trying again", "error", err)
		}
	}
}

func (a *audit) round(ctx context.Context) error {
	reports, err := a.stream.Reports(ctx)
	if err != nil {
		return err
	}
	byLog := map[string][]reported{}
	for edge, r := range reports {
		all, err := readReport(edge, r)
		if err != nil {
			continue // another build's
		}
		for _, t := range all {
			if t.at.Seq > 0 && t.State != "" {
				byLog[t.Log] = append(byLog[t.Log], t)
			}
		}
	}
	spent := time.Duration(0)
	a.forget(byLog)
	for log, all := range byLog {
		begin := time.Now()
		if spent < auditTime {
			if err := a.addUp(ctx, log, all); err != nil {
				return err
			}
		}
		spent += time.Since(begin)
		a.compare(log, all)
	}
	return nil
}

// forget lets go of what edges no longer tell of.
func (a *audit) forget(byLog map[string][]reported) {
	for log, known := range a.logs {
		all := byLog[log]
		maps.DeleteFunc(known.doubt, func(edge string, _ time.Time) bool {
			return !slices.ContainsFunc(all, func(t reported) bool { return t.edge == edge })
		})
		if len(all) == 0 {
			delete(a.logs, log)
			a.alarms.Clear(telemetry.StoreDiverged, log)
		}
	}
}

// addUp has the state of a log be known where edges are, unless all of them were compared there.
func (a *audit) addUp(ctx context.Context, log string, all []reported) error {
	known := a.logs[log]
	if !slices.ContainsFunc(all, func(t reported) bool { return known == nil || t.at.Chain != known.at.Chain }) {
		return nil
	}
	head, err := changelog.Head(ctx, a.pool, log)
	if fault.Is(err, fault.NotFound) {
		return nil // it was lost with a database; the edge serves it until it is rebuilt
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(t reported) bool { return t.at.Chain == head.Chain }) || known != nil && known.at.Chain == head.Chain {
		return nil
	}
	at, sum, err := a.source.StateHash(ctx, log)
	if err != nil {
		return err
	}
	a.logs[log] = &audited{at: at, sum: sum, doubt: map[string]time.Time{}, level: map[string]bool{}}
	return nil
}

// compare compares the edges that are where the log was added up.
func (a *audit) compare(log string, all []reported) {
	known := a.logs[log]
	if known == nil {
		return
	}
	var wrong []string
	here := false
	for _, t := range all {
		if t.at.Chain != known.at.Chain {
			continue
		}
		here = true
		if t.State == known.sum.String() {
			if !known.level[t.edge] {
				a.equal.Inc()
			}
			known.level[t.edge] = true
			delete(known.doubt, t.edge)
			continue
		}
		since, doubted := known.doubt[t.edge]
		switch {
		case !doubted: // the report may be of a moment in which the edge moved
			known.doubt[t.edge] = t.when
		case t.when.After(since):
			a.different.Inc()
			wrong = append(wrong, fmt.Sprintf("%s holds the state %s", t.edge, t.State))
		}
	}
	slices.Sort(wrong)
	switch {
	case len(wrong) > 0:
		a.alarms.Set(telemetry.StoreDiverged, log, fmt.Sprintf("at sequence %d %s, and the database has %s; run `edge rebuild %s` there",
			known.at.Seq, strings.Join(wrong, ", "), known.sum, log))
	case here && len(known.doubt) == 0:
		a.alarms.Clear(telemetry.StoreDiverged, log)
	}
}
