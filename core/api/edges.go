package api

import (
	"context"
	"time"

	"svc/core/postgres"
	"svc/core/project"
	"svc/core/wire"
	"svc/shared/telemetry"
)

// Edge is what an edge last said of itself, as the fleet view shows it.
type Edge struct {
	ID         string
	Build      string
	StartedAt  time.Time
	ReportedAt time.Time
	Ready      bool
	Reasons    []string // why it is not ready
	Alarms     []telemetry.Alarm
	Logs       []EdgeLog
}

// EdgeLog is where an edge stands in one log.
type EdgeLog struct {
	Log       string
	Epoch     uint64
	Seq       uint64
	Head      uint64        // the newest sequence the edge knows of
	Lag       time.Duration // how long the edge has been behind
	Chain     string        // the hash of everything applied so far (record.Position)
	StateHash string
	Release   *uint64 // the newest one; nil where it is not told, as of an organization's log
	Pinned    uint64  // the release that reads answer instead; 0: none
	Alarm     string  // why the log stands still; empty while it moves
}

// Fleet returns what is known of every edge.
type Fleet func(ctx context.Context) ([]Edge, error)

// listEdges shows the fleet to an organization: of the logs, its own.
func listEdges(c *call) (wire.List[wire.Edge], error) {
	edges, err := c.server.Fleet(c.ctx())
	if err != nil {
		return wire.List[wire.Edge]{}, err
	}
	own, err := c.ownLogs()
	if err != nil {
		return wire.List[wire.Edge]{}, err
	}
	bodies := make([]wire.Edge, len(edges))
	for i, e := range edges {
		bodies[i] = wire.Edge{ID: e.ID, Build: e.Build, StartedAt: wire.Time{Time: e.StartedAt}, ReportedAt: wire.Time{Time: e.ReportedAt}, Ready: e.Ready, Reasons: append([]string{}, e.Reasons...),
			Alarms: alarmsOf(e.Alarms, own), Logs: []wire.EdgeLog{}}
		for _, l := range e.Logs {
			if own[l.Log] {
				bodies[i].Logs = append(bodies[i].Logs, edgeLogOf(l))
			}
		}
	}
	return wire.List[wire.Edge]{Data: bodies}, nil
}

func edgeLogOf(l EdgeLog) wire.EdgeLog {
	behind := uint64(0)
	if l.Head > l.Seq {
		behind = l.Head - l.Seq
	}
	body := wire.EdgeLog{
		Log: l.Log, Epoch: l.Epoch, Seq: l.Seq, Head: l.Head, Behind: behind, LagMS: float64(l.Lag) / float64(time.Millisecond),
		Chain: l.Chain, StateHash: l.StateHash, Release: l.Release, Alarm: orNull(l.Alarm),
	}
	if l.Pinned > 0 {
		body.Pinned = &l.Pinned
	}
	return body
}

// ownLogs are the logs of the caller's organization and its projects.
func (c *call) ownLogs() (map[string]bool, error) {
	own := map[string]bool{string(c.actor.Organization): true}
	page := postgres.Page{Limit: postgres.MaxLimit}
	for {
		list, err := project.List(c.ctx(), c.server.Pool, c.actor, page)
		if err != nil {
			return nil, err
		}
		for _, p := range list.Items {
			own[string(p.ID)] = true
		}
		if page.Cursor = list.NextCursor; page.Cursor == "" {
			return own, nil
		}
	}
}
