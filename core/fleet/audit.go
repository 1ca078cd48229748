package fleet

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
	"svc/shared/lifecycle"
	"svc/shared/telemetry"
)

// Audit compares what edges report to hold with what the database has: for logs that are where an edge says that it is,
// the state hash, which the database adds up each time. An edge that differs twice in a row, in two reports of one
// position, is an alarm. Every core does this for itself.
type Audit struct {
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
}

const (
	auditEvery = 10 * time.Second
	// auditTime is how long one round adds up at most, apart from its last log: a twentieth of the time.
	auditTime = auditEvery / 20
)

// NewAudit returns an audit whose figures are registered.
func NewAudit(pool *pgxpool.Pool, source *changelog.Source, conn *stream.Conn, alarms *telemetry.Alarms, logger *slog.Logger, r prometheus.Registerer) *Audit {
	compared := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "svc_audit_compared_total", Help: "States reported by edges that were compared with the database.",
	}, []string{"result"})
	r.MustRegister(compared)
	return &Audit{
		pool: pool, source: source, stream: conn, alarms: alarms, logger: logger, logs: map[string]*audited{},
		equal: compared.WithLabelValues("equal"), different: compared.WithLabelValues("different"),
	}
}

// Run compares until the context ends.
func (a *Audit) Run(ctx context.Context) error {
	lifecycle.Every(ctx, auditEvery, func() {
		if !a.stream.Connected() {
			return
		}
		if err := a.Round(ctx); err != nil && ctx.Err() == nil {
			a.logger.Debug("what edges hold could not be compared; trying again", "error", err)
		}
	})
	return nil
}

// Round compares once.
func (a *Audit) Round(ctx context.Context) error {
	reported, err := positions(ctx, a.stream)
	if err != nil {
		return err
	}
	byLog := map[string][]LogReport{}
	for _, t := range reported {
		if t.State != "" {
			byLog[t.Log] = append(byLog[t.Log], t)
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
func (a *Audit) forget(byLog map[string][]LogReport) {
	for log, known := range a.logs {
		all := byLog[log]
		maps.DeleteFunc(known.doubt, func(edge string, _ time.Time) bool {
			return !slices.ContainsFunc(all, func(t LogReport) bool { return t.Edge == edge })
		})
		if len(all) == 0 {
			delete(a.logs, log)
			a.alarms.Clear(telemetry.StoreDiverged, log)
		}
	}
}

// addUp has the state of a log be known where edges are, unless all of them were compared there.
func (a *Audit) addUp(ctx context.Context, log string, all []LogReport) error {
	known := a.logs[log]
	if !slices.ContainsFunc(all, func(t LogReport) bool { return known == nil || t.At.Chain != known.at.Chain }) {
		return nil
	}
	head, err := changelog.Head(ctx, a.pool, log)
	if fault.Is(err, fault.NotFound) {
		return nil // it was lost with a database; the edge serves it until it is rebuilt
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(t LogReport) bool { return t.At.Chain == head.Chain }) || known != nil && known.at.Chain == head.Chain {
		return nil
	}
	at, sum, err := a.source.StateHash(ctx, log)
	if err != nil {
		return err
	}
	a.logs[log] = &audited{at: at, sum: sum, doubt: map[string]time.Time{}}
	return nil
}

// compare compares the edges that are where the log was added up.
func (a *Audit) compare(log string, all []LogReport) {
	known := a.logs[log]
	if known == nil {
		return
	}
	var wrong []string
	here := false
	for _, t := range all {
		if t.At.Chain != known.at.Chain {
			continue
		}
		here = true
		if t.State == known.sum.String() {
			a.equal.Inc()
			delete(known.doubt, t.Edge)
			continue
		}
		since, doubted := known.doubt[t.Edge]
		switch {
		case !doubted: // the report may be of a moment in which the edge moved
			known.doubt[t.Edge] = t.When
		case t.When.After(since):
			a.different.Inc()
			wrong = append(wrong, fmt.Sprintf("%s holds the state %s", t.Edge, t.State))
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
