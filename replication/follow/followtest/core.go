package followtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/fault"
)

// Core keeps logs as core does, in memory. It implements snapshot.Source.
type Core struct {
	mu   sync.Mutex
	logs map[string]*log
}

type log struct {
	epoch    uint64
	changes  []*record.Change // change i has sequence i+1
	state    *State
	segments []*recordpb.Part
	refs     []snapshot.Ref // oldest first
	pruned   uint64         // changes up to here are not served any more
	advance  sync.Mutex
	keeper   sync.Mutex
}

// NewCore returns a core without logs.
func NewCore() *Core { return &Core{logs: map[string]*log{}} }

// Append makes a change; its log comes to be with the first.
func (c *Core) Append(id string, body proto.Message) *record.Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.logs[id]
	if l == nil {
		l = &log{epoch: 1, state: NewState()}
		c.logs[id] = l
	}
	change := NextChange(id, l.head(), body)
	if err := l.state.Add(body); err != nil {
		panic(err)
	}
	l.changes = append(l.changes, change)
	return change
}

// NextChange builds the change that follows a position.
func NextChange(id string, at record.Position, body proto.Message) *record.Change {
	kind := KindOf(body)
	digest, err := record.Digest(kind, body)
	if err != nil {
		panic(err)
	}
	epoch := max(at.Epoch, 1)
	return &record.Change{
		Log: id, Prev: at.Chain, Kind: kind, Digest: digest, Time: time.Now().UTC().Truncate(time.Millisecond), Body: body,
		Position: record.Position{Epoch: epoch, Seq: at.Seq + 1, Chain: record.Link(at.Chain, at.Seq+1, kind, digest)},
	}
}

// KindOf returns the kind of a body.
func KindOf(body proto.Message) record.Kind {
	switch body.(type) {
	case *recordpb.Project:
		return record.KindProject
	case *recordpb.Schema:
		return record.KindSchema
	case *recordpb.Release:
		return record.KindRelease
	case *recordpb.Rank:
		return record.KindRank
	case *recordpb.Organization:
		return record.KindOrganization
	case *recordpb.Key:
		return record.KindKey
	}
	panic(fmt.Sprintf("a %T is no body", body))
}

// GoBack forgets all changes of a log after a sequence, as a database restored from a backup does. NewEpoch makes
// core notice.
func (c *Core) GoBack(id string, seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.logs[id]
	l.changes = l.changes[:seq:seq]
	l.state = NewState()
	for _, change := range l.changes {
		if err := l.state.Add(change.Body); err != nil {
			panic(err)
		}
	}
	l.refs = slices.DeleteFunc(l.refs, func(r snapshot.Ref) bool { return r.Position.Seq > seq })
	if n := len(l.state.Releases); n > 0 {
		last := l.state.Releases[n-1].Number
		l.segments = slices.DeleteFunc(l.segments, func(s *recordpb.Part) bool { return s.LastRelease > last })
	}
}

// Lose has a log be as if it never was.
func (c *Core) Lose(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.logs, id)
}

// NewEpoch begins a new epoch of a log at its head.
func (c *Core) NewEpoch(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logs[id].epoch++
}

// Head returns the newest position of a log.
func (c *Core) Head(id string) record.Position {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logs[id].head()
}

// Sum returns the state hash of a log.
func (c *Core) Sum(id string) record.StateSum {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logs[id].state.Sum()
}

// Changes returns a log's changes.
func (c *Core) Changes(id string) []*record.Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.logs[id]; l != nil {
		return slices.Clone(l.changes)
	}
	return nil
}

// Logs returns the ids of all logs.
func (c *Core) Logs() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]string, 0, len(c.logs))
	for id := range c.logs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (l *log) head() record.Position {
	p := record.Position{Epoch: l.epoch}
	if n := len(l.changes); n > 0 {
		p = l.changes[n-1].Position
		p.Epoch = l.epoch
	}
	return p
}

func (c *Core) find(id string) (*log, error) {
	if l := c.logs[id]; l != nil {
		return l, nil
	}
	return nil, fault.New(fault.NotFound, "there is no log %s", id)
}

// Recorded implements snapshot.Source.
func (c *Core) Recorded(_ context.Context, id string, n int) ([]snapshot.Ref, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, err := c.find(id)
	if err != nil {
		return nil, err
	}
	refs := slices.Clone(l.refs)
	slices.Reverse(refs)
	return refs[:min(n, len(refs))], nil
}

// AddSegment implements snapshot.Source.
func (c *Core) AddSegment(_ context.Context, id string, part *recordpb.Part) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, err := c.find(id)
	if err != nil {
		return err
	}
	for _, s := range l.segments {
		if s.FirstRelease == part.FirstRelease {
			if s.Key != part.Key {
				return errors.New("another segment is recorded")
			}
			return nil
		}
	}
	l.segments = append(l.segments, part)
	return nil
}

// Forget implements snapshot.Source.
func (c *Core) Forget(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, err := c.find(id)
	if err == nil {
		l.refs, l.segments = nil, nil
	}
	return err
}

// Advance implements snapshot.Source.
func (c *Core) Advance(ctx context.Context, ref snapshot.Ref, publish func(context.Context) error) (bool, error) {
	c.mu.Lock()
	l, err := c.find(ref.Log)
	c.mu.Unlock()
	if err != nil {
		return false, err
	}
	l.advance.Lock()
	defer l.advance.Unlock()
	newest, err := c.Recorded(ctx, ref.Log, 1)
	if err != nil || len(newest) > 0 && !snapshot.Before(newest[0].Position, ref.Position) {
		return false, err
	}
	if err := publish(ctx); err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l.refs = append(l.refs, ref)
	return true, nil
}
