package readtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/schema"
)

// Memory is the plain model of a store: it keeps every change and reads by going through all of them. It is right
// before it is fast.
type Memory struct {
	mu       sync.Mutex
	projects map[content.ProjectID]*history
	keys     map[string]credential.Grant
	settled  time.Time
}

// NewMemory returns an empty store. Nothing is settled in it before Settle.
func NewMemory() *Memory {
	return &Memory{projects: map[content.ProjectID]*history{}, keys: map[string]credential.Grant{}}
}

// history is everything that happened to a project. It is replaced, never changed, so a view keeps what it saw.
type history struct {
	settings []Settings
	schemas  []parsedSchema
	releases []Release
	ranks    map[string]map[content.EntryID]string
	settled  time.Time
}

type parsedSchema struct {
	Schema
	parsed map[string]*read.Collection
}

// Store returns the memory itself.
func (m *Memory) Store() read.Store { return m }

// Keys returns the memory itself.
func (m *Memory) Keys() read.Keys { return m }

// change replaces the history of a project by one that do has added to.
func (m *Memory) change(project content.ProjectID, do func(h *history) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, found := m.projects[project]
	if !found {
		return fmt.Errorf("there is no project %s", project)
	}
	next := *h
	if err := do(&next); err != nil {
		return err
	}
	m.projects[project] = &next
	return nil
}

// PutSettings implements Subject.
func (m *Memory) PutSettings(_ context.Context, s Settings) error {
	m.mu.Lock()
	if m.projects[s.ID] == nil {
		m.projects[s.ID] = &history{}
	}
	m.mu.Unlock()
	return m.change(s.ID, func(h *history) error {
		h.settings = append(slices.Clip(h.settings), s)
		return nil
	})
}

// PutSchema implements Subject.
func (m *Memory) PutSchema(_ context.Context, project content.ProjectID, s Schema) error {
	parsed := map[string]*read.Collection{}
	for _, v := range s.Collections {
		c, err := schema.Parse(v.Canonical)
		if err != nil {
			return fmt.Errorf("collection %s version %d: %w", v.Name, v.Version, err)
		}
		labelled := *c
		labelled.Label = v.Label
		parsed[v.Name] = &read.Collection{Schema: &labelled, Version: v.Version}
	}
	return m.change(project, func(h *history) error {
		h.schemas = append(slices.Clip(h.schemas), parsedSchema{s, parsed})
		return nil
	})
}

// Publish implements Subject.
func (m *Memory) Publish(_ context.Context, project content.ProjectID, r Release) error {
	return m.change(project, func(h *history) error {
		if n := len(h.releases); n > 0 && r.Number <= h.releases[n-1].Number {
			return fmt.Errorf("release %d comes after %d", r.Number, h.releases[n-1].Number)
		}
		h.releases = append(slices.Clip(h.releases), r)
		return nil
	})
}

// Arrange implements Subject.
func (m *Memory) Arrange(_ context.Context, project content.ProjectID, r Ranks) error {
	return m.change(project, func(h *history) error {
		all := maps.Clone(h.ranks)
		if all == nil {
			all = map[string]map[content.EntryID]string{}
		}
		ranks := map[content.EntryID]string{}
		maps.Copy(ranks, all[r.Collection])
		maps.Copy(ranks, r.Entries)
		all[r.Collection], h.ranks = ranks, all
		return nil
	})
}

// Settle implements Subject.
func (m *Memory) Settle(_ context.Context, t time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settled = t
	return nil
}

// PutKey implements KeySubject.
func (m *Memory) PutKey(_ context.Context, g credential.Grant) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys[g.PublicID] = g
	return nil
}

// Grant implements read.Keys.
func (m *Memory) Grant(_ context.Context, publicID string) (*credential.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g, found := m.keys[publicID]; found {
		return &g, nil
	}
	return nil, nil
}

// Open implements read.Store.
func (m *Memory) Open(_ context.Context, ref string) (read.View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.projects {
		live := h.live()
		if !live.Deleted && (string(live.ID) == ref || live.Slug == ref) {
			seen := *h
			seen.settled = m.settled
			return &memoryView{history: &seen}, nil
		}
	}
	return nil, fault.New(fault.NotFound, "there is no such project")
}

func (h *history) live() *Settings { return &h.settings[len(h.settings)-1] }
