package followtest

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"google.golang.org/protobuf/proto"

	"svc/replication/follow"
	"svc/replication/record"
)

// Store is a follow.Applier in memory. Its zero value is empty and ready; a second follower on the same Store is a
// restart.
type Store struct {
	// Refuse, where set, is asked before each change is applied; its error fails the Apply.
	Refuse func(*record.Change) error
	// RefuseLoad, where set, is asked before each load begins; its error fails the Load.
	RefuseLoad func(log string) error
	// Spoil, where set, is asked at the end of each load whether the store makes something else of it.
	Spoil func(log string) bool

	mu      sync.Mutex
	logs    map[string]*held
	applied int
	loads   map[string]int
}

type held struct {
	at    record.Position
	state *State
}

var _ follow.Applier = (*Store)(nil)

// Positions implements follow.Applier.
func (s *Store) Positions(context.Context) (map[string]record.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]record.Position, len(s.logs))
	for log, h := range s.logs {
		out[log] = h.at
	}
	return out, nil
}

// Apply implements follow.Applier. A change that does not follow the log's position is an error.
func (s *Store) Apply(_ context.Context, c *record.Change) error {
	if s.Refuse != nil {
		if err := s.Refuse(c); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.logs[c.Log]
	if h == nil {
		h = &held{state: NewState()}
	}
	if !c.Follows(h.at) {
		return fmt.Errorf("change %s of %s does not follow %s", c.Position, c.Log, h.at)
	}
	state := h.state.Clone()
	if err := state.Add(c.Body); err != nil {
		return err
	}
	s.set(c.Log, &held{at: c.Position, state: state})
	s.applied++
	return nil
}

func (s *Store) set(log string, h *held) {
	if s.logs == nil {
		s.logs = map[string]*held{}
	}
	s.logs[log] = h
}

// Load implements follow.Applier.
func (s *Store) Load(_ context.Context, log string) (follow.Loader, error) {
	if s.RefuseLoad != nil {
		if err := s.RefuseLoad(log); err != nil {
			return nil, err
		}
	}
	return &loader{store: s, log: log, state: NewState()}, nil
}

type loader struct {
	store *Store
	log   string
	state *State
	done  bool
}

func (l *loader) Add(_ context.Context, kind record.Kind, body any) error {
	message, ok := body.(proto.Message)
	if !ok {
		return fmt.Errorf("a %T is no %s", body, kind)
	}
	return l.state.Add(message)
}

func (l *loader) Commit(_ context.Context, at record.Position) error {
	if l.done {
		return fmt.Errorf("the load of %s has ended before", l.log)
	}
	l.done = true
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.Spoil != nil && l.store.Spoil(l.log) {
		l.state.spoil()
	}
	l.store.set(l.log, &held{at: at, state: l.state})
	if l.store.loads == nil {
		l.store.loads = map[string]int{}
	}
	l.store.loads[l.log]++
	return nil
}

func (l *loader) Abort() error {
	if l.done {
		return fmt.Errorf("the load of %s has ended before", l.log)
	}
	l.done = true
	return nil
}

// Drop implements follow.Applier.
func (s *Store) Drop(_ context.Context, log string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.logs, log)
	return nil
}

// StateHash implements follow.Applier.
func (s *Store) StateHash(_ context.Context, log string) (record.StateSum, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.logs[log]
	if h == nil {
		return record.StateSum{}, false, nil
	}
	return h.state.Sum(), true, nil
}

// Content implements follow.Applier.
func (s *Store) Content(_ context.Context, log string) (c follow.Content, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.logs[log]
	if h == nil {
		return c, nil
	}
	if n := len(h.state.Releases); n > 0 {
		c.Newest = record.StampOf(h.state.Releases[n-1])
	}
	if n := len(h.state.Projects); n > 0 {
		c.Pinned = h.state.Projects[n-1].PinnedRelease
	}
	return c, nil
}

// Rescan implements follow.Applier.
func (s *Store) Rescan(ctx context.Context, log string) (record.StateSum, error) {
	sum, _, err := s.StateHash(ctx, log)
	return sum, err
}

// At returns where the store stands in a log; a zero position where it does not hold it.
func (s *Store) At(log string) record.Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.logs[log]; h != nil {
		return h.at
	}
	return record.Position{}
}

// State returns what the store holds of a log; nil where it holds nothing.
func (s *Store) State(log string) *State {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.logs[log]; h != nil {
		return h.state
	}
	return nil
}

// Corrupt loses the editorial ranks and the newest release of a project's log, as a damaged disk might.
func (s *Store) Corrupt(log string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.logs[log]
	state := h.state.Clone()
	state.spoil()
	s.set(log, &held{at: h.at, state: state})
}

func (s *State) spoil() {
	s.Ranks = map[RankKey]string{}
	if n := len(s.Releases); n > 0 {
		s.Releases = s.Releases[: n-1 : n-1]
	}
}

// Applied returns how many changes were applied, and how many snapshots of each log were loaded.
func (s *Store) Applied() (changes int, loads map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.applied, maps.Clone(s.loads)
}
