package core

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"svc/core/changelog"
	"svc/replication/record"
	"svc/replication/stream"
)

// LogStatus is where a log is in the database, on the stream and on every edge that tells of it.
type LogStatus struct {
	changelog.Overview
	OnStream string // "level", "none", "behind by 3", "ahead", "another history"; empty where the stream cannot be read
	Edges    []EdgeStatus
	// State is the database's state hash at Head, where it was asked for.
	State string
}

// EdgeStatus is where an edge is in a log.
type EdgeStatus struct {
	Edge string
	At   record.Position
	// State is how a check compares its state hash: "equal", "differs", or "not compared" where it is elsewhere or tells none.
	State string
	// Place is as LogStatus.OnStream, or "differs": at the same position in another state.
	Place string
}

// LookAtLogs tells where logs are, named by id or slug; none named are all. With check, the state of each is added up and
// compared with what edges report, which takes a scan of all its entries. What the stream cannot tell is left out, and
// unreachable says why.
func LookAtLogs(ctx context.Context, cfg Config, names []string, check bool, logger *slog.Logger) (all []LogStatus, unreachable, err error) {
	o, err := operate(ctx, cfg, logger)
	if err != nil {
		return nil, nil, err
	}
	defer o.close()
	logs, err := o.find(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range logs {
		s := LogStatus{Overview: l}
		if check {
			at, sum, err := o.source.StateHash(ctx, l.Log)
			if err != nil {
				return nil, nil, err
			}
			s.Head, s.State = at, sum.String()
		}
		all = append(all, s)
	}
	return all, o.elsewhere(ctx, all), nil
}

// elsewhere adds where logs are on the stream and on edges.
func (o *operation) elsewhere(ctx context.Context, all []LogStatus) error {
	o.cfg.Stream.Name = "core-logs"
	conn, err := stream.Connect(o.cfg.Stream, o.logger)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := connected(ctx, conn, o.cfg.Stream.URL); err != nil {
		return err
	}
	if err := onStream(ctx, conn, all); err != nil {
		return err
	}
	return onEdges(ctx, conn, all)
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

// compare notes how the state that an edge tells compares with that of the database, which is empty without a check.
func (e *EdgeStatus) compare(database, told string) {
	switch {
	case database == "":
	case e.Place != "level" || told == "":
		e.State = "not compared"
	case told == database:
		e.State = "equal"
	default:
		e.State, e.Place = "differs", "differs"
	}
}

func onEdges(ctx context.Context, conn *stream.Conn, all []LogStatus) error {
	reports, err := conn.Reports(ctx)
	if err != nil {
		return err
	}
	index := map[string]int{}
	for i := range all {
		index[all[i].Log] = i
	}
	for edge, r := range reports {
		told, err := toldBy(edge, r)
		if err != nil {
			if len(all) > 0 && all[0].State != "" { // a check is to compare every edge
				return fmt.Errorf("the report of edge %s cannot be read: %w", edge, err)
			}
			continue // another build's
		}
		for _, t := range told {
			i, wanted := index[t.Log]
			if !wanted {
				continue
			}
			e := EdgeStatus{Edge: edge, At: t.at, Place: place(all[i].Head, t.at)}
			e.compare(all[i].State, t.State)
			all[i].Edges = append(all[i].Edges, e)
		}
	}
	for i := range all {
		slices.SortFunc(all[i].Edges, func(a, b EdgeStatus) int { return strings.Compare(a.Edge, b.Edge) })
	}
	return nil
}
