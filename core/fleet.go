package core

import (
	"context"
	"maps"
	"slices"
	"time"

	"svc/core/access"
	"svc/core/api"
	"svc/replication/follow"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/stream"
	"svc/shared/fault"
)

// key finds an API key by its public id, for an edge that has not met it yet.
func (c *Core) key(ctx context.Context, publicID string) (organization string, key *recordpb.Key, err error) {
	g, err := access.Grant(ctx, c.pool, publicID)
	if err != nil {
		return "", nil, err
	}
	if g == nil {
		return "", nil, fault.New(fault.NotFound, "there is no key of this public id")
	}
	return string(g.Organization), record.KeyOf(g), nil
}

// reported is what an edge reports of a log.
type reported struct {
	follow.LogReport
	edge string
	at   record.Position
	when time.Time
}

// readReport reads an edge's report, skipping positions that cannot be read. If none of it can, another build wrote it.
func readReport(edge string, r stream.Report) ([]reported, error) {
	report, err := follow.DecodeReport(r.Data)
	if err != nil {
		return nil, err
	}
	var all []reported
	for _, l := range report.Positions {
		if at, err := record.ParsePosition(l.Position); err == nil {
			all = append(all, reported{l, edge, at, r.At})
		}
	}
	return all, nil
}

// claimed returns what edges report to hold, for whoever looks for what the database lost. A report that cannot be read
// is one of another build, and claims nothing.
func claimed(conn *stream.Conn) func(context.Context) ([]publish.Claim, error) {
	return func(ctx context.Context) ([]publish.Claim, error) {
		reports, err := conn.Reports(ctx)
		if err != nil {
			return nil, err
		}
		var claims []publish.Claim
		for id, r := range reports {
			all, err := readReport(id, r)
			if err != nil {
				continue
			}
			for _, t := range all {
				if t.at.Seq == 0 {
					continue
				}
				claim := publish.Claim{Log: t.Log, By: "edge " + id, At: t.at}
				if t.Release != nil {
					claim.Newest = &record.Stamp{Number: *t.Release, Time: time.UnixMilli(t.ReleaseMs).UTC()}
				}
				claims = append(claims, claim)
			}
		}
		return claims, nil
	}
}

// fleet returns what the edges last said of themselves.
func (c *Core) fleet(ctx context.Context) ([]api.Edge, error) {
	reports, err := c.stream.Reports(ctx)
	if err != nil {
		return nil, unreadable(err, c.stream.Connected())
	}
	edges := make([]api.Edge, 0, len(reports))
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
func edgeOf(id string, r stream.Report) api.Edge {
	edge := api.Edge{ID: id, ReportedAt: r.At}
	report, err := follow.DecodeReport(r.Data)
	if err != nil {
		edge.Reasons = []string{"its report cannot be read by this build of core"}
		return edge
	}
	edge.Build, edge.StartedAt, edge.Ready, edge.Reasons = report.Build, report.Started, report.Ready, report.Reasons
	edge.Alarms = report.Alarms
	for _, l := range report.Positions {
		at, err := record.ParsePosition(l.Position)
		if err != nil {
			edge.Reasons = append(edge.Reasons, "the position it reports of log "+l.Log+" cannot be read by this build of core")
			continue
		}
		edge.Logs = append(edge.Logs, api.EdgeLog{
			Log: l.Log, Epoch: at.Epoch, Seq: at.Seq, Head: l.Head, Lag: time.Duration(l.LateMs) * time.Millisecond,
			Chain: at.Chain.String(), StateHash: l.State, Release: l.Release, Pinned: l.Pinned, Alarm: l.Trouble,
		})
	}
	return edge
}
