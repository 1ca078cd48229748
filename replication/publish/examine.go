package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/blob"
)

// Examiner compares every log in the database with what others saw of it: the stream, edges and snapshots. It finds what a
// database has lost, for instance one that was restored from a backup.
type Examiner struct {
	Source  Source
	History History
	Stream  *stream.Conn // nil: unreachable
	Blobs   blob.Store
	// Claims returns what edges report to hold; with nil no edge is asked.
	Claims func(ctx context.Context) ([]Claim, error)
	// Snapshots includes the newest snapshot of every log, not only of those that the stream does not have.
	Snapshots bool
}

// Claim is a position that an edge holds. Newest is the newest release up to there, zero before the first; nil if it was not
// reported.
type Claim struct {
	Log    string
	By     string
	At     record.Position
	Newest *record.Stamp
}

// Loss is a log of which somebody saw changes that the database does not have.
type Loss struct {
	Log  string
	Head record.Position // in the database
	Seen record.Position // the farthest, by whoever comes first in By
	By   []string
	Lost Lost
	// Gone says that the database has no such log at all: it was begun after the backup. Nothing counts in it any more.
	Gone bool
}

// examined is how many logs are compared at once.
const examined = 8

// Run calls found for every loss, one at a time, and returns nil only if every log was compared with everything. Logs
// that are gone come last.
func (e *Examiner) Run(ctx context.Context, found func(Loss) error) error {
	last, err := e.lasts(ctx)
	if err != nil {
		return err
	}
	claims, err := e.claims(ctx)
	if err != nil {
		return err
	}
	if err := e.compare(ctx, last, claims, found); err != nil {
		return err
	}
	return gone(last, claims, found)
}

// compare compares every log of the database, and leaves in last and claims only what is about other logs.
func (e *Examiner) compare(ctx context.Context, last map[string]tip, claims map[string][]Claim, found func(Loss) error) error {
	var finding sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(examined)
	const page = 4000
	for after := ""; ctx.Err() == nil; {
		heads, given, err := e.page(ctx, after, page)
		if err != nil {
			return joinGroup(g, err)
		}
		for _, h := range heads {
			at, held := last[h.Log], claims[h.Log]
			delete(last, h.Log)
			delete(claims, h.Log)
			g.Go(func() error {
				loss, err := e.look(ctx, h, given[h.Log], at, held)
				if err != nil || len(loss.By) == 0 {
					return err
				}
				finding.Lock()
				defer finding.Unlock()
				return found(loss)
			})
		}
		if len(heads) < page {
			break
		}
		after = heads[len(heads)-1].Log
	}
	return joinGroup(g, nil)
}

// page returns a page of heads, and the newest release numbers and times of their projects.
func (e *Examiner) page(ctx context.Context, after string, n int) ([]record.Head, map[string]record.Stamp, error) {
	heads, err := e.Source.Heads(ctx, after, n)
	if err != nil {
		return nil, nil, err
	}
	logs := make([]string, len(heads))
	for i, h := range heads {
		logs[i] = h.Log
	}
	given, err := e.History.Given(ctx, logs)
	return heads, given, err
}

// gone reports the logs that are left over.
func gone(last map[string]tip, claims map[string][]Claim, found func(Loss) error) error {
	losses := map[string]*Loss{}
	add := func(log, by string, at record.Position) {
		l := losses[log]
		if l == nil {
			l = &Loss{Log: log, Gone: true}
			losses[log] = l
		}
		l.By = append(l.By, by)
		if snapshot.Before(l.Seen, at) {
			l.Seen = at
		}
	}
	for log, t := range last {
		add(log, "the stream", t.at)
	}
	for log, all := range claims {
		for _, c := range all {
			add(log, c.By, c.At)
		}
	}
	for _, log := range slices.Sorted(maps.Keys(losses)) {
		if err := found(*losses[log]); err != nil {
			return err
		}
	}
	return nil
}

func joinGroup(g *errgroup.Group, err error) error {
	if waited := g.Wait(); err == nil {
		return waited
	}
	return err
}

// lasts reads the last message of every log; one without a position in its header is read in full.
func (e *Examiner) lasts(ctx context.Context) (map[string]tip, error) {
	last := map[string]tip{}
	if e.Stream == nil {
		return last, nil
	}
	var unstated []string
	err := e.Stream.Lasts(ctx, func(m stream.Message) error {
		if last[m.Log] = (tip{m.Seq, m.Position, m.Given}); !m.Stated {
			unstated = append(unstated, m.Log)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, log := range unstated {
		m, found, err := e.Stream.Last(ctx, log)
		if err != nil {
			return nil, err
		}
		if found {
			last[log] = tipOf(m)
		}
	}
	return last, nil
}

func (e *Examiner) claims(ctx context.Context) (map[string][]Claim, error) {
	byLog := map[string][]Claim{}
	if e.Claims == nil {
		return byLog, nil
	}
	all, err := e.Claims(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask what edges hold: %w", err)
	}
	for _, c := range all {
		byLog[c.Log] = append(byLog[c.Log], c)
	}
	return byLog, nil
}
