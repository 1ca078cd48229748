package command

import (
	"context"
	"fmt"
	"log/slog"

	"svc/core"
	"svc/core/changelog"
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
	// NoRoom is set where the edge's report has room for other logs alone. Later ones hardly tell of it: what an edge
	// leaves out is quiet and untroubled.
	NoRoom bool
	// Place is as LogStatus.OnStream, or "differs": at the same position in another state. "not told" is of a check alone,
	// where the edge does not report the log and may yet hold it.
	Place string
}

// InspectLogs reports where logs are, named by id or slug; no names mean all. What the stream cannot report is left out,
// and unreachable says why.
func InspectLogs(ctx context.Context, cfg core.Config, names []string, how InspectOptions, logger *slog.Logger) (all []LogStatus, unreachable, err error) {
	o, err := operate(ctx, cfg, logger)
	if err != nil {
		return nil, nil, err
	}
	defer o.close()
	if all, err = o.inDatabase(ctx, names, how.Check, nil); err != nil {
		return nil, nil, err
	}
	o.cfg.Stream.Name = "core-logs"
	conn, err := stream.Connect(o.cfg.Stream, o.logger)
	if err != nil {
		return all, err, nil
	}
	defer conn.Close()
	if err := connected(ctx, conn, o.cfg.Stream.URL); err != nil {
		return all, err, nil
	}
	return o.elsewhere(ctx, conn, names, all, how)
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

// few is up to how many logs are asked for one by one.
const few = 20

func onStream(ctx context.Context, conn *stream.Conn, all []LogStatus) error {
	last := map[string]stream.Message{}
	if len(all) > few {
		err := conn.Lasts(ctx, func(m stream.Message) error { last[m.Log] = m; return nil })
		if err != nil {
			return err
		}
	} else {
		for _, l := range all {
			m, found, err := conn.Last(ctx, l.Log)
			if err != nil {
				return err
			}
			if found {
				last[l.Log] = m
			}
		}
	}
	for i := range all {
		m, found := last[all[i].Log]
		switch {
		case !found:
			all[i].OnStream = "none"
		case !m.Stated:
			all[i].OnStream = "unreadable"
		default:
			all[i].OnStream = place(all[i].Head, m.Position)
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
