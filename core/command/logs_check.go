package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/core/fleet"
	"svc/replication/follow"
	"svc/replication/stream"
)

// InspectOptions says what InspectLogs does beside reading positions.
type InspectOptions struct {
	// Check adds up the state of each log and compares it with what edges report, which takes a scan of all its entries.
	Check bool
	// Wait is how long a check waits until every edge that holds a log reports a state that can be compared, but for those
	// whose reports have no room for it; with 0 it looks once.
	Wait time.Duration
}

// askAgain is the pause between two looks of a check that waits; edges report about once a second.
const askAgain = 200 * time.Millisecond

// elsewhere adds where logs are on the stream and on edges. A check looks again until everything is compared or its time
// is up, and reads the database again each time, as it moves too.
func (o *operation) elsewhere(ctx context.Context, conn *stream.Conn, names []string, all []LogStatus, how InspectOptions) (_ []LogStatus, unreachable, err error) {
	deadline := time.Now().Add(how.Wait)
	var first map[string]stream.Report
	for {
		if err := onStream(ctx, conn, all); err != nil {
			return all, err, nil
		}
		reports, err := conn.Reports(ctx)
		if err != nil {
			return all, err, nil
		}
		if first == nil && how.Wait > 0 {
			first = reports
		}
		if err := onEdges(reports, first, all, how.Check); err != nil {
			return all, err, nil
		}
		if !how.Check || !mayStillTell(all) || !time.Now().Before(deadline) {
			return all, nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(askAgain):
		}
		if all, err = o.inDatabase(ctx, names, true, all); err != nil {
			return nil, nil, err
		}
	}
}

// onEdges adds what edges report. An edge whose report is still that of first has not reported since then.
func onEdges(reports, first map[string]stream.Report, all []LogStatus, check bool) error {
	for edge, r := range reports {
		report, err := follow.DecodeReport(r.Data)
		if err != nil {
			if check { // it is to compare every edge
				return fmt.Errorf("the report of edge %s cannot be read: %w", edge, err)
			}
			continue // another build's
		}
		positions, err := fleet.ReadReport(edge, r)
		if err != nil {
			return err
		}
		by := map[string]fleet.LogReport{}
		for _, t := range positions {
			by[t.Log] = t
		}
		for i := range all {
			l := &all[i]
			if t, is := by[l.Log]; is {
				e := EdgeStatus{Edge: edge, At: t.At, Place: place(l.Head, t.At)}
				e.compare(l.State, t.LogReport)
				l.Edges = append(l.Edges, e)
			} else if why, noRoom := unreported(report, r, first[edge]); check && why != "" && !l.Deleted {
				l.Edges = append(l.Edges, EdgeStatus{Edge: edge, Place: "not told", State: "not compared", Why: why, NoRoom: noRoom})
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

// unreported says why an edge may hold a log that is not in its report, and whether that is for want of room; empty where
// it holds none.
func unreported(report *follow.Report, now, first stream.Report) (why string, noRoom bool) {
	switch {
	case now.At.Equal(first.At):
		return "it has not reported since the check began", false
	case report.Logs > len(report.Positions):
		return fmt.Sprintf("it reports %d of its %d logs, and not this one", len(report.Positions), report.Logs), true
	}
	return "", false
}

// mayStillTell reports whether later reports can have what is not compared yet.
func mayStillTell(all []LogStatus) bool {
	for _, l := range all {
		if l.Why != "" || slices.ContainsFunc(l.Edges, func(e EdgeStatus) bool { return e.State == "not compared" && !e.NoRoom }) {
			return true
		}
	}
	return false
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

// uncompared lists what a check has not compared, and why.
func uncompared(all []LogStatus) (list []string) {
	for _, l := range all {
		if l.Why != "" {
			list = append(list, fmt.Sprintf("%s (%s): %s", l.Log, l.name(), l.Why))
		}
		for _, e := range l.Edges {
			if e.State == "not compared" {
				list = append(list, fmt.Sprintf("%s (%s) on %s: %s", l.Log, l.name(), e.Edge, e.Why))
			}
		}
	}
	return list
}

// verdict is an error where a check found something, or could not look.
func verdict(all []LogStatus, how InspectOptions, unreachable error) error {
	if !how.Check {
		return nil
	}
	errs := []error{unreachable}
	for _, l := range all {
		for _, e := range l.Edges {
			if e.State == "differs" {
				errs = append(errs, fmt.Errorf("%s holds another state of %s than the database; run `edge rebuild %s` there", e.Edge, l.Log, l.Log))
			}
		}
	}
	const shown = 10
	left := uncompared(all)
	for _, what := range left[:min(len(left), shown)] {
		errs = append(errs, errors.New("not compared: "+what))
	}
	if len(left) > shown {
		errs = append(errs, fmt.Errorf("not compared: %d more", len(left)-shown))
	}
	return errors.Join(errs...)
}
