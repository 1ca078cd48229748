// Package followtest has what tests of replication need: a store in memory that follows logs, a core in memory that
// writes them, and the suite that every follow.Applier passes.
package followtest

import (
	"fmt"
	"maps"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// State is what a log adds up to.
type State struct {
	Projects     []*recordpb.Project // every version of the settings
	Schemas      []*recordpb.Schema  // every deployment
	Releases     []*recordpb.Release
	Live         map[string]*recordpb.Item // by entry
	Ranks        map[RankKey]string
	Organization *recordpb.Organization
	Keys         map[string]*recordpb.Key
	keyOrder     []string
}

// RankKey names an entry with an editorial position.
type RankKey struct{ Collection, Entry string }

// NewState returns the state of a log without changes.
func NewState() *State {
	return &State{Live: map[string]*recordpb.Item{}, Ranks: map[RankKey]string{}, Keys: map[string]*recordpb.Key{}}
}

// Clone returns a copy that changes do not reach.
func (s *State) Clone() *State {
	c := *s
	c.Live, c.Ranks, c.Keys = maps.Clone(s.Live), maps.Clone(s.Ranks), maps.Clone(s.Keys)
	return &c
}

// Add takes one body in.
func (s *State) Add(body proto.Message) error {
	switch b := body.(type) {
	case *recordpb.Project:
		s.Projects = append(s.Projects[:len(s.Projects):len(s.Projects)], b)
	case *recordpb.Schema:
		s.Schemas = append(s.Schemas[:len(s.Schemas):len(s.Schemas)], b)
	case *recordpb.Release:
		return s.release(b)
	case *recordpb.Rank:
		for _, e := range b.Entries {
			if key := (RankKey{b.Collection, e.Entry}); e.Rank == "" {
				delete(s.Ranks, key)
			} else {
				s.Ranks[key] = e.Rank
			}
		}
	case *recordpb.Organization:
		s.Organization = b
	case *recordpb.Key:
		if s.Keys[b.Id] == nil {
			s.keyOrder = append(s.keyOrder[:len(s.keyOrder):len(s.keyOrder)], b.Id)
		}
		s.Keys[b.Id] = b
	default:
		return fmt.Errorf("a %T is no body", body)
	}
	return nil
}

func (s *State) release(r *recordpb.Release) error {
	if n := len(s.Releases); n > 0 && s.Releases[n-1].Number >= r.Number {
		return fmt.Errorf("release %d follows release %d", r.Number, s.Releases[n-1].Number)
	}
	s.Releases = append(s.Releases[:len(s.Releases):len(s.Releases)], r)
	for _, it := range r.Items {
		if it.Operation == recordpb.Operation_OPERATION_PUT {
			s.Live[it.Entry] = it
		} else {
			delete(s.Live, it.Entry)
		}
	}
	return nil
}

// Sum is the state hash.
func (s *State) Sum() record.StateSum {
	var sum record.StateSum
	for _, it := range s.Live {
		sum = sum.Add(record.EntryRow(it.Collection, it.Entry, it.Revision, it.Slug))
	}
	for key, rank := range s.Ranks {
		sum = sum.Add(record.RankRow(key.Collection, key.Entry, rank))
	}
	for _, r := range s.Releases {
		sum = sum.Add(record.ReleaseRow(r.Number, r.PublishedMs))
	}
	collections := map[string]*recordpb.CollectionVersion{}
	for _, schema := range s.Schemas {
		for _, c := range schema.Collections {
			collections[c.Name] = c
		}
		for _, name := range schema.Removed {
			delete(collections, name)
		}
	}
	for _, c := range collections {
		sum = sum.Add(record.SchemaRow(c.Name, c.Version, c.Hash, c.Label))
	}
	if n := len(s.Projects); n > 0 {
		sum = sum.Add(record.ProjectRow(s.Projects[n-1]))
	}
	if s.Organization != nil {
		sum = sum.Add(record.OrganizationRow(s.Organization))
	}
	for _, key := range s.Keys {
		sum = sum.Add(record.KeyRow(key))
	}
	return sum
}
