package followtest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
)

// View implements snapshot.Source.
func (c *Core) View(_ context.Context, id string, do func(snapshot.View) error) error {
	c.mu.Lock()
	l, err := c.find(id)
	if err != nil {
		c.mu.Unlock()
		return err
	}
	v := &view{at: l.head(), state: l.state.Clone(), segments: slices.Clone(l.segments)}
	c.mu.Unlock()
	return do(v)
}

type view struct {
	at       record.Position
	state    *State
	segments []*recordpb.Part
}

func (v *view) Position() record.Position  { return v.at }
func (v *view) Time() time.Time            { return time.Now() }
func (v *view) Segments() []*recordpb.Part { return v.segments }

func (v *view) State(_ context.Context, emit snapshot.Emit) error {
	for _, p := range v.state.Projects {
		if err := emit(record.KindProject, p); err != nil {
			return err
		}
	}
	for _, s := range v.state.Schemas {
		if err := emit(record.KindSchema, s); err != nil {
			return err
		}
	}
	if v.state.Organization != nil {
		if err := emit(record.KindOrganization, v.state.Organization); err != nil {
			return err
		}
	}
	for _, id := range v.state.keyOrder {
		if err := emit(record.KindKey, v.state.Keys[id]); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) Releases(_ context.Context, after uint64, emit func(*recordpb.Release) error) error {
	for _, r := range v.state.Releases {
		if r.Number <= after {
			continue
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) Ranks(_ context.Context, emit snapshot.Emit) error {
	byCollection := map[string]*recordpb.Rank{}
	for key, rank := range v.state.Ranks {
		r := byCollection[key.Collection]
		if r == nil {
			r = &recordpb.Rank{Collection: key.Collection}
			byCollection[key.Collection] = r
		}
		r.Entries = append(r.Entries, &recordpb.RankedEntry{Entry: key.Entry, Rank: rank})
	}
	for _, name := range slices.Sorted(maps.Keys(byCollection)) {
		r := byCollection[name]
		slices.SortFunc(r.Entries, func(a, b *recordpb.RankedEntry) int { return cmp.Compare(a.Entry, b.Entry) })
		if err := emit(record.KindRank, r); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) StateHash(context.Context) (record.StateSum, error) { return v.state.Sum(), nil }
