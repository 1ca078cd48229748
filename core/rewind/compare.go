package rewind

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"svc/core/changelog"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/blob"
)

// Comparison compares every log in the database with what others saw of it: the stream, edges and snapshots.
type Comparison struct {
	Source *changelog.Source
	Stream *stream.Conn // nil: unreachable
	Blobs  blob.Store
	// Claims returns what edges report to hold; with nil no edge is asked.
	Claims func(ctx context.Context) ([]Claim, error)
	// Snapshots includes the newest snapshot of every log, not only of those that the stream does not have.
	Snapshots bool
}

// Loss is a log of which somebody saw changes that the database does not have.
type Loss struct {
	Log  string
	Head record.Position // in the database
	Seen record.Position // the farthest, seen by the first of By
	By   []string
	Lost Lost
	// Gone says that the database has no such log at all.
	Gone bool
}

// add counts one more that saw the log at a position.
func (l *Loss) add(by string, at record.Position) {
	switch {
	case slices.Contains(l.By, by):
	case len(l.By) == 0 || snapshot.Before(l.Seen, at):
		l.Seen, l.By = at, append([]string{by}, l.By...)
	default:
		l.By = append(l.By, by)
	}
}

// compared is how many logs are compared at once.
const compared = 8

// Run calls found for every loss, one at a time, and returns nil only if every log was compared with everything. Logs
// that are gone come last.
func (c *Comparison) Run(ctx context.Context, found func(Loss) error) error {
	lasts, err := c.lasts(ctx)
	if err != nil {
		return err
	}
	claims, err := c.claims(ctx)
	if err != nil {
		return err
	}
	var finding sync.Mutex
	g, comparing := errgroup.WithContext(ctx)
	g.SetLimit(compared)
	err = c.heads(comparing, func(h record.Head, given record.Stamp) error {
		at, held := lasts[h.Log], claims[h.Log]
		delete(lasts, h.Log)
		delete(claims, h.Log)
		g.Go(func() error {
			loss, err := c.look(comparing, h, given, at, held)
			if err != nil || len(loss.By) == 0 {
				return err
			}
			finding.Lock()
			defer finding.Unlock()
			return found(loss)
		})
		return nil
	})
	if err := errors.Join(g.Wait(), err); err != nil {
		return err
	}
	return gone(lasts, claims, found)
}

// heads calls do with the head of every log, and the newest release number and time of its project.
func (c *Comparison) heads(ctx context.Context, do func(h record.Head, given record.Stamp) error) error {
	const page = 4000
	for after := ""; ; {
		heads, err := c.Source.Heads(ctx, after, page)
		if err != nil {
			return err
		}
		logs := make([]string, len(heads))
		for i, h := range heads {
			logs[i] = h.Log
		}
		given, err := c.Source.Given(ctx, logs)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if err := do(h, given[h.Log]); err != nil {
				return err
			}
		}
		if len(heads) < page {
			return nil
		}
		after = heads[len(heads)-1].Log
	}
}

// gone reports the logs that are left over.
func gone(lasts map[string]last, claims map[string][]Claim, found func(Loss) error) error {
	losses := map[string]*Loss{}
	add := func(log, by string, at record.Position) {
		if losses[log] == nil {
			losses[log] = &Loss{Log: log, Gone: true}
		}
		losses[log].add(by, at)
	}
	for log, l := range lasts {
		add(log, "the stream", l.at)
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

// last is what the last message of a log tells; zero where there is none.
type last struct {
	at    record.Position
	given record.Stamp
}

// lasts reads the last message of every log; one without a position in its header is read in full.
func (c *Comparison) lasts(ctx context.Context) (map[string]last, error) {
	lasts := map[string]last{}
	if c.Stream == nil {
		return lasts, nil
	}
	var unstated []string
	err := c.Stream.Lasts(ctx, func(m stream.Message) error {
		if lasts[m.Log] = (last{m.Position, m.Given}); !m.Stated {
			unstated = append(unstated, m.Log)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, log := range unstated {
		m, found, err := c.Stream.Last(ctx, log)
		if err != nil {
			return nil, err
		}
		if found {
			lasts[log] = last{m.At(), m.Given}
		}
	}
	return lasts, nil
}

func (c *Comparison) claims(ctx context.Context) (map[string][]Claim, error) {
	byLog := map[string][]Claim{}
	if c.Claims == nil {
		return byLog, nil
	}
	all, err := c.Claims(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask what edges hold: %w", err)
	}
	for _, claim := range all {
		byLog[claim.Log] = append(byLog[claim.Log], claim)
	}
	return byLog, nil
}
