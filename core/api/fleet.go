package api

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/core/changelog"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/wire"
)

// Fleet returns what each edge last said of itself.
type Fleet func(ctx context.Context) ([]wire.Edge, error)

// Cores returns what each core last said of itself, the answering one first.
type Cores func(ctx context.Context) ([]wire.Core, error)

// listEdges shows the fleet to an organization: of the logs, its own.
func listEdges(c *call) (wire.List[wire.Edge], error) {
	edges, err := c.server.Fleet(c.ctx())
	if err != nil {
		return wire.List[wire.Edge]{}, err
	}
	own, err := c.ownLogs()
	for i, e := range edges {
		edges[i].Logs = slices.DeleteFunc(e.Logs, func(l wire.EdgeLog) bool { return !own[l.Log] })
		edges[i].Alarms = ownAlarms(e.Alarms, own)
	}
	return wire.List[wire.Edge]{Data: edges}, err
}

// listCores shows the cores to an organization: of the alarms about logs, those of its own.
func listCores(c *call) (wire.List[wire.Core], error) {
	cores, err := c.server.Cores(c.ctx())
	if err != nil {
		return wire.List[wire.Core]{}, err
	}
	own, err := c.ownLogs()
	for i, core := range cores {
		cores[i].Alarms = ownAlarms(core.Alarms, own)
	}
	return wire.List[wire.Core]{Data: cores}, err
}

// ownAlarms are the alarms that are about a whole program or about one's own logs.
func ownAlarms(all []wire.Alarm, own map[string]bool) []wire.Alarm {
	return slices.DeleteFunc(all, func(a wire.Alarm) bool { return a.Log != nil && !own[*a.Log] })
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

const (
	maxWait  = 30 * time.Second
	askFleet = 200 * time.Millisecond
)

// awaitEdges honours Prefer: wait=<seconds> (RFC 7240), at most 30: it returns once every edge that holds the log reports
// to be there, and says so with Preference-Applied. The change is made either way; without the header in the answer
// some edge was not there in time.
func (c *call) awaitEdges(log string, seq uint64) {
	wait := preferredWait(c.gin.Request.Header["Prefer"])
	if wait == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(c.gin.Request.Context(), wait) // no part of the work, which is done
	defer cancel()
	ticker := time.NewTicker(askFleet)
	defer ticker.Stop()
	for {
		if edges, err := c.server.Fleet(ctx); err == nil && allAt(edges, log, seq) {
			c.gin.Header("Preference-Applied", "wait="+strconv.Itoa(int(wait/time.Second)))
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// awaitHead is awaitEdges for what the log holds by now. Where that cannot be read nothing is promised: the change
// itself is made.
func (c *call) awaitHead(log string) {
	if preferredWait(c.gin.Request.Header["Prefer"]) == 0 {
		return
	}
	head, err := changelog.Head(c.ctx(), c.server.Pool, log)
	if err != nil {
		c.server.Logger.Warn("a caller cannot be told when edges have a change", "log", log, "error", err)
		return
	}
	c.awaitEdges(log, head.Seq)
}

// allAt reports whether every edge that holds a log has come to a sequence of it, and there is one.
func allAt(edges []wire.Edge, log string, seq uint64) bool {
	holders := 0
	for _, e := range edges {
		i := slices.IndexFunc(e.Logs, func(l wire.EdgeLog) bool { return l.Log == log })
		if i < 0 {
			continue
		}
		if holders++; e.Logs[i].Seq < seq {
			return false
		}
	}
	return holders > 0
}

// preferredWait reads the wait preference; anything else in the header, or a malformed one, is not for us.
func preferredWait(headers []string) time.Duration {
	for _, header := range headers {
		for preference := range strings.SplitSeq(header, ",") {
			text, found := strings.CutPrefix(strings.TrimSpace(preference), "wait=")
			if !found {
				continue
			}
			if n, err := strconv.ParseUint(text, 10, 16); err == nil {
				return min(time.Duration(n)*time.Second, maxWait)
			}
		}
	}
	return 0
}
