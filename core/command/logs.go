package command

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"svc/core"
	"svc/core/changelog"
	"svc/core/fleet"
	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/stream"
)

// LogStatus is where a log is in the database, on the stream and on every edge that tells of it.
type LogStatus struct {
	changelog.Overview
	OnStream string // "level", "none", "behind by 3", "ahead", "another history"; empty where the stream cannot be read
	Edges    []EdgeStatus
	// State is the database's state hash at Head, where it was asked for; Why says why no edge's was compared with it.
	State, Why string
}

// EdgeStatus is where an edge is in a log.
type EdgeStatus struct {
	Edge string
	At   record.Position
	// State is how a check compares its state hash: "equal", "differs", or "not compared", and Why not.
	State, Why string
	// Place is as LogStatus.OnStream, or "differs": at the same position in another state. "not told" is of a check alone,
	// where the edge has no room for the log in its report and may yet hold it.
	Place string
}

// InspectOptions says what InspectLogs does beside reading positions.
type InspectOptions struct {
	// Check adds up the state of each log and compares it with what edges report, which takes a scan of all its entries.
	Check bool
	// Wait is how long a check looks again while an edge that tells of a log is not level with it; with 0 it looks once.
	Wait time.Duration
}

// askAgain is the pause between two looks of a check that waits; edges report about once a second.
const askAgain = 200 * time.Millisecond

// InspectLogs reports where logs are, named by id or slug; no names mean all. What the stream cannot report is left out,
// and unreachable says why.
func InspectLogs(ctx context.Context, cfg core.Config, names []string, how InspectOptions, logger *slog.Logger) (all []LogStatus, unreachable, err error) {
	o, err := operate(ctx, cfg, logger)
	if err != nil {
		return nil, nil, err
	}
	defer o.close()
	cfg.Stream.Name = "core-logs"
	conn, unreachable := stream.Connect(cfg.Stream, logger)
	if unreachable == nil {
		defer conn.Close()
		unreachable = connected(ctx, conn, cfg.Stream.URL)
	}
	deadline := time.Now().Add(how.Wait)
	for {
		if all, err = o.inDatabase(ctx, names, how.Check, all); err != nil || unreachable != nil {
			return all, unreachable, err
		}
		if unreachable = elsewhere(ctx, conn, all, how.Check); unreachable != nil {
			return all, unreachable, nil
		}
		if !how.Check || !anyBehind(all) || !time.Now().Before(deadline) {
			return all, nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(askAgain):
		}
	}
}

// inDatabase returns logs as the database has them, with their states for a check. Those of logs that have not moved since
// before are taken from there.
func (o *operation) inDatabase(ctx context.Context, names []string, check bool, before []LogStatus) ([]LogStatus, error) {
	logs, err := o.find(ctx, names)
	if err != nil {
		return nil, err
	}
	known := map[string]LogStatus{}
	for _, l := range before {
		known[l.Log] = l
	}
	all := make([]LogStatus, 0, len(logs))
	for _, l := range logs {
		s := LogStatus{Overview: l}
		if old := known[l.Log]; check && old.State != "" && old.Head == l.Head {
			s.State = old.State
		} else if check {
			at, sum, err := o.source.StateHash(ctx, l.Log)
			if err != nil {
				return nil, err
			}
			s.Head, s.State = at, sum.String()
		}
		all = append(all, s)
	}
	return all, nil
}

// elsewhere adds where logs are on the stream and on edges.
func elsewhere(ctx context.Context, conn *stream.Conn, all []LogStatus, check bool) error {
	last := map[string]record.Position{}
	if err := conn.Lasts(ctx, func(m stream.Message) error { last[m.Log] = m.Position; return nil }); err != nil {
		return err
	}
	reports, err := conn.Reports(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		l := &all[i]
		at, found := last[l.Log]
		switch {
		case !found:
			l.OnStream = "none"
		case at.Seq == 0:
			l.OnStream = "unreadable"
		default:
			l.OnStream = place(l.Head, at)
		}
	}
	return onEdges(reports, all, check)
}

// onEdges adds what edges report.
func onEdges(reports map[string]stream.Report, all []LogStatus, check bool) error {
	for edge, r := range reports {
		report, err := follow.DecodeReport(r.Data)
		if err != nil {
			if check { // it is to compare every edge
				return fmt.Errorf("the report of edge %s cannot be read: %w", edge, err)
			}
			continue // another build's
		}
		by := map[string]fleet.LogReport{}
		for _, t := range fleet.Positions(edge, r.At, report) {
			by[t.Log] = t
		}
		for i := range all {
			l := &all[i]
			if t, is := by[l.Log]; is {
				e := EdgeStatus{Edge: edge, At: t.At, Place: place(l.Head, t.At)}
				e.compare(l.State, t.LogReport)
				l.Edges = append(l.Edges, e)
			} else if check && !l.Deleted && report.Logs > len(report.Positions) {
				why := fmt.Sprintf("it reports %d of its %d logs, and not this one", len(report.Positions), report.Logs)
				l.Edges = append(l.Edges, EdgeStatus{Edge: edge, Place: "not told", State: "not compared", Why: why})
			}
		}
	}
	for i := range all {
		l := &all[i]
		slices.SortFunc(l.Edges, func(a, b EdgeStatus) int { return strings.Compare(a.Edge, b.Edge) })
		if check && len(l.Edges) == 0 && !l.Deleted {
			l.Why = "no edge reports to hold it"
		}
	}
	return nil
}

// place says where somebody is who holds a position of a log with this head.
func place(head, at record.Position) string {
	switch {
	case at.Epoch > head.Epoch:
		return "another history"
	case at.Seq > head.Seq:
		return "ahead"
	case at.Seq < head.Seq:
		return fmt.Sprintf("behind by %d", head.Seq-at.Seq)
	case at.Chain != head.Chain:
		return "another history"
	}
	return "level"
}

// compare notes how the state that an edge tells compares with that of the database, which is empty without a check.
func (e *EdgeStatus) compare(database string, r follow.LogReport) {
	switch {
	case database == "":
	case e.Place != "level":
		e.State, e.Why = "not compared", "its report says "+e.Place
		if r.Trouble != "" {
			e.Why += "; " + r.Trouble
		}
	case r.State == "":
		e.State, e.Why = "not compared", "it reports no state of it"
	case r.State == database:
		e.State = "equal"
	default:
		e.State, e.Place = "differs", "differs"
	}
}

// anyBehind reports whether later reports can have what is not compared yet. What a report has no room for, later ones hardly
// tell: it is quiet and untroubled.
func anyBehind(all []LogStatus) bool {
	for _, l := range all {
		if l.Why != "" || slices.ContainsFunc(l.Edges, func(e EdgeStatus) bool { return e.State == "not compared" && e.Place != "not told" }) {
			return true
		}
	}
	return false
}
