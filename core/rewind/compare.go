package rewind

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/core/changelog"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/fault"
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

// compared is how many logs are compared at once.
const compared = 8

// Run calls found for every loss, one at a time, and returns nil only if every log was compared with everything. Logs
// that are gone come last.
func (c *Comparison) Run(ctx context.Context, found func(Loss) error) error {
	claims, err := c.claims(ctx)
	if err != nil {
		return err
	}
	var finding sync.Mutex
	g, comparing := errgroup.WithContext(ctx)
	g.SetLimit(compared)
	err = heads(comparing, c.Source, func(h record.Head, given record.Stamp) error {
		seen := claims[h.Log]
		delete(claims, h.Log)
		g.Go(func() error {
			loss, err := c.look(comparing, h, given, seen)
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
	for _, log := range slices.Sorted(maps.Keys(claims)) {
		loss := Loss{Log: log, Gone: true}
		for _, claim := range claims[log] {
			loss.add(&claim)
		}
		if err := found(loss); err != nil {
			return err
		}
	}
	return nil
}

// heads calls do with the head of every log, and the newest release number and time of its project.
func heads(ctx context.Context, source *changelog.Source, do func(h record.Head, given record.Stamp) error) error {
	const page = 4000
	for after := ""; ; {
		heads, err := source.Heads(ctx, after, page)
		if err != nil {
			return err
		}
		logs := make([]string, len(heads))
		for i, h := range heads {
			logs[i] = h.Log
		}
		given, err := source.Given(ctx, logs)
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

// claims returns what the last messages of logs and the reports of edges tell, by log.
func (c *Comparison) claims(ctx context.Context) (map[string][]Claim, error) {
	byLog := map[string][]Claim{}
	if c.Stream != nil {
		err := c.Stream.Lasts(ctx, func(m stream.Message) error {
			byLog[m.Log] = []Claim{{m.Log, theStream, m.Position, &m.Given}}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if c.Claims != nil {
		all, err := c.Claims(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask what edges hold: %w", err)
		}
		for _, claim := range all {
			byLog[claim.Log] = append(byLog[claim.Log], claim)
		}
	}
	return byLog, nil
}

const theStream = "the stream"

// snapshotBegin is more than a snapshot's transaction takes from the time in its manifest to its first look at releases.
const snapshotBegin = time.Minute

// look compares one log with what was seen of it and, where that is wanted or the stream does not have it, with its newest
// snapshot.
func (c *Comparison) look(ctx context.Context, head record.Head, given record.Stamp, claims []Claim) (Loss, error) {
	if c.Snapshots || len(claims) == 0 || claims[0].By != theStream {
		m, err := snapshot.Latest(ctx, c.Blobs, head.Log)
		if err == nil {
			newest := record.Stamp{Number: snapshot.LastRelease(m)}
			if newest.Number > given.Number {
				newest.Time = time.UnixMilli(m.TimeMs).Add(snapshotBegin).UTC()
			}
			claims = append(claims, Claim{head.Log, "a snapshot", snapshot.At(m), &newest})
		} else if !fault.Is(err, fault.NotFound) {
			return Loss{}, fmt.Errorf("compare log %s with its newest snapshot: %w", head.Log, err)
		}
	}
	return judge(ctx, c.Source, head, given, claims)
}
