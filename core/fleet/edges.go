// Package fleet is what a core knows of the edges and of the other cores, from what they report of themselves.
package fleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"svc/core/rewind"
	"svc/core/wire"
	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// LogReport is what an edge reports of a log.
type LogReport struct {
	follow.LogReport
	Edge string
	At   record.Position
	When time.Time
}

// Positions returns what an edge's report tells of logs, but for positions that cannot be read.
func Positions(edge string, when time.Time, report *follow.Report) (all []LogReport) {
	for _, l := range report.Positions {
		if at, err := record.ParsePosition(l.Position); err == nil {
			all = append(all, LogReport{l, edge, at, when})
		}
	}
	return all
}

// positions returns what edges report to hold of logs. A report that cannot be read is one of another build, and tells nothing.
func positions(ctx context.Context, conn *stream.Conn) (all []LogReport, err error) {
	reports, err := conn.Reports(ctx)
	for edge, r := range reports {
		if report, err := follow.DecodeReport(r.Data); err == nil {
			all = append(all, Positions(edge, r.At, report)...)
		}
	}
	return slices.DeleteFunc(all, func(t LogReport) bool { return t.At.Seq == 0 }), err
}

// Claims returns what edges report to hold, for the comparison with what the database lost.
func Claims(conn *stream.Conn) func(context.Context) ([]rewind.Claim, error) {
	return func(ctx context.Context) ([]rewind.Claim, error) {
		all, err := positions(ctx, conn)
		claims := make([]rewind.Claim, len(all))
		for i, t := range all {
			claims[i] = rewind.Claim{Log: t.Log, By: "edge " + t.Edge, At: t.At}
			if t.Release != nil {
				claims[i].Newest = &record.Stamp{Number: *t.Release}
				if *t.Release > 0 {
					claims[i].Newest.Time = time.UnixMilli(t.ReleaseMs).UTC()
				}
			}
		}
		return claims, err
	}
}

// Edges returns what the edges last said of themselves.
func Edges(ctx context.Context, conn *stream.Conn) ([]wire.Edge, error) {
	reports, err := conn.Reports(ctx)
	if err != nil {
		return nil, unreadable(err, conn.Connected())
	}
	edges := make([]wire.Edge, 0, len(reports))
	for _, id := range slices.Sorted(maps.Keys(reports)) {
		edges = append(edges, edgeOf(id, reports[id]))
	}
	return edges, nil
}

// unreadable says why nothing is known of the edges, and what there is to do.
func unreadable(err error, connected bool) error {
	why := "which does not hand them out at the moment: look at its log and its disk"
	if !connected {
		why = "which this core cannot reach: bring it back, or mend the network to it"
	}
	return &fault.Error{Code: fault.Unavailable, Err: err, Detail: "the reports of edges cannot be read: edges report through NATS, " + why +
		". Edges serve on meanwhile; ask each of them, by its /readyz and its metrics"}
}

// edgeOf reads a report; one that another build wrote in another form shows as just that.
func edgeOf(id string, r stream.Report) wire.Edge {
	edge := wire.Edge{ID: id, ReportedAt: wire.Time{Time: r.At}}
	report, err := follow.DecodeReport(r.Data)
	if err != nil {
		edge.Reasons = []string{"its report cannot be read by this build of core"}
		return edge
	}
	edge.Build, edge.StartedAt, edge.Ready, edge.Reasons = report.Build, wire.Time{Time: report.Started}, report.Ready, report.Reasons
	edge.Alarms = alarmsOf(report.Alarms)
	for _, l := range report.Positions {
		at, err := record.ParsePosition(l.Position)
		if err != nil {
			edge.Reasons = append(edge.Reasons, "the position it reports of log "+l.Log+" cannot be read by this build of core")
			continue
		}
		edge.Logs = append(edge.Logs, wire.EdgeLog{
			Log: l.Log, Epoch: at.Epoch, Seq: at.Seq, Head: l.Head, Behind: max(l.Head, at.Seq) - at.Seq, LagMS: float64(l.LateMs),
			Chain: at.Chain.String(), StateHash: l.State, Release: l.Release, Pinned: orNull(l.Pinned), Alarm: orNull(l.Trouble),
		})
	}
	return edge
}

// alarmsOf are alarms as the API shows them.
func alarmsOf(all []telemetry.Alarm) []wire.Alarm {
	out := make([]wire.Alarm, len(all))
	for i, a := range all {
		out[i] = wire.Alarm{Alarm: a.Kind, Log: orNull(a.Subject), Detail: a.Detail, Since: wire.Time{Time: a.Since}}
	}
	return out
}

// orNull is a value that is null in JSON where it is none.
func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
