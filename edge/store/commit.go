package store

import (
	"slices"

	"svc/edge/store/layout"
	"svc/edge/store/write"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/read"
	"svc/shared/schema"
)

// Commit is what readers can see of a log since a moment ago.
type Commit struct {
	Log string
	// Change is what was applied. It is nil where the log was loaded again, or dropped.
	Change *record.Change
	// Seq is the log's sequence now, Head the newest release of a project, and Release the one that reads without at answer from.
	// All are 0 where the log was dropped, and the latter two of an organization's log.
	Seq, Head, Release uint64
	// WasPublic are the collections that everybody could read until this deployment of schemas changed or removed them.
	WasPublic []string
}

// commitOf is a commit that is no change.
func commitOf(log string, state *write.State) Commit {
	c := Commit{Log: log, Seq: state.Pos.Seq, Head: state.Head.Number, Release: state.Head.Number}
	if s := state.Settings; s != nil && s.PinnedRelease != 0 {
		c.Release = s.PinnedRelease
	}
	return c
}

// publicBefore returns which of the collections that a deployment changes or removes everybody can read before it.
func (s *Store) publicBefore(state *write.State, c *record.Change) ([]string, error) {
	body, ok := c.Body.(*recordpb.Schema)
	if !ok {
		return nil, nil
	}
	names := slices.Clone(body.Removed)
	for _, version := range body.Collections {
		names = append(names, version.Name)
	}
	var public []string
	for _, name := range names {
		former := state.Collections[name]
		if former == nil || former.Version == 0 {
			continue
		}
		canonical, err := layout.Get(s.db, state.Gen.CollectionNumber(nil, layout.TableSchema, former.Number, former.Version))
		if err != nil {
			return nil, err
		}
		parsed, err := schema.Parse(canonical)
		if err != nil {
			return nil, err
		}
		if read.ScopeOf(parsed) == "" {
			public = append(public, name)
		}
	}
	return public, nil
}
