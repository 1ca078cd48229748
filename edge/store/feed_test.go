package store

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// fataler is a test of the testing package or of rapid.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// feed is a log as core would keep it: it numbers and chains changes, and remembers them to make snapshots.
type feed struct {
	id      string
	pos     record.Position
	changes []*record.Change
	ranks   map[string]map[string]string
}

func newFeed(id string) *feed {
	return &feed{id: id, pos: record.Position{Epoch: 1}, ranks: map[string]map[string]string{}}
}

// next makes the change that follows.
func (f *feed) next(kind record.Kind, body proto.Message) *record.Change {
	digest, err := record.Digest(kind, body)
	if err != nil {
		panic(err)
	}
	c := &record.Change{Log: f.id, Prev: f.pos.Chain, Kind: kind, Digest: digest, Time: time.UnixMilli(0), Body: body}
	c.Position = record.Position{Epoch: f.pos.Epoch, Seq: f.pos.Seq + 1, Chain: record.Link(f.pos.Chain, f.pos.Seq+1, kind, digest)}
	f.pos = c.Position
	f.changes = append(f.changes, c)
	if r, ok := body.(*recordpb.Rank); ok {
		if f.ranks[r.Collection] == nil {
			f.ranks[r.Collection] = map[string]string{}
		}
		for _, e := range r.Entries {
			if f.ranks[r.Collection][e.Entry] = e.Rank; e.Rank == "" {
				delete(f.ranks[r.Collection], e.Entry)
			}
		}
	}
	return c
}

func (f *feed) apply(t fataler, s *Store, kind record.Kind, body proto.Message) {
	t.Helper()
	if err := s.Apply(context.Background(), f.next(kind, body)); err != nil {
		t.Fatal(err)
	}
}

// resume applies what a store lacks, as replication does after a crash.
func (f *feed) resume(t fataler, s *Store) {
	t.Helper()
	positions, err := s.Positions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := positions[f.id]
	if at.Seq > 0 && f.changes[at.Seq-1].Position != at {
		t.Fatalf("the store stands at %s, where the log never was", at)
	}
	for _, c := range f.changes[at.Seq:] {
		if err := s.Apply(context.Background(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// load gives a store the whole log as a snapshot has it: settings, schemas, releases, ranks in force; or an organization
// and its keys.
func (f *feed) load(t fataler, s *Store) {
	t.Helper()
	if err := f.tryLoad(s, math.MaxInt, true); err != nil {
		t.Fatal(err)
	}
}

// tryLoad loads the first bodies of a snapshot and commits, or leaves the load as it is.
func (f *feed) tryLoad(s *Store, bodies int, commit bool) error {
	ctx := context.Background()
	ld, err := s.Load(ctx, f.id)
	if err != nil {
		return err
	}
	for _, b := range f.snapshot() {
		if bodies--; bodies < 0 {
			break
		}
		if err := ld.Add(ctx, b.kind, b.body); err != nil {
			return err
		}
	}
	if commit {
		return ld.Commit(ctx, f.pos)
	}
	return ld.Abort()
}

type body struct {
	kind record.Kind
	body proto.Message
}

func (f *feed) snapshot() (out []body) {
	keys := map[string]int{}
	for _, kind := range []record.Kind{record.KindProject, record.KindSchema, record.KindRelease, record.KindOrganization, record.KindKey} {
		for _, c := range f.changes {
			if c.Kind != kind {
				continue
			}
			switch b := c.Body.(type) {
			case *recordpb.Organization:
				if n := len(out); n > 0 {
					out = out[:0] // only the newest
				}
			case *recordpb.Key:
				if i, again := keys[b.PublicId]; again {
					out[i].body = b
					continue
				}
				keys[b.PublicId] = len(out)
			}
			out = append(out, body{c.Kind, c.Body})
		}
	}
	for _, collection := range slices.Sorted(maps.Keys(f.ranks)) {
		r := &recordpb.Rank{Collection: collection}
		for _, entry := range slices.Sorted(maps.Keys(f.ranks[collection])) {
			r.Entries = append(r.Entries, &recordpb.RankedEntry{Entry: entry, Rank: f.ranks[collection][entry]})
			if len(r.Entries) == 3 { // several bodies to a collection
				out = append(out, body{record.KindRank, r})
				r = &recordpb.Rank{Collection: collection}
			}
		}
		if len(r.Entries) > 0 {
			out = append(out, body{record.KindRank, r})
		}
	}
	return out
}

// sum is the state of a project's log, added up from its changes alone.
func (f *feed) sum() (sum record.StateSum) {
	var settings *recordpb.Project
	schemas := map[string]record.StateSum{}
	live := map[string]record.StateSum{}
	for _, c := range f.changes {
		switch b := c.Body.(type) {
		case *recordpb.Project:
			settings = b
		case *recordpb.Schema:
			for _, v := range b.Collections {
				schemas[v.Name] = record.SchemaRow(v.Name, v.Version, v.Hash, v.Label)
			}
			for _, name := range b.Removed {
				delete(schemas, name)
			}
		case *recordpb.Release:
			sum = sum.Add(record.ReleaseRow(b.Number, b.PublishedMs))
			for _, it := range b.Items {
				if delete(live, it.Entry); it.Operation == recordpb.Operation_OPERATION_PUT {
					live[it.Entry] = record.EntryRow(it.Collection, it.Entry, it.Revision, it.Slug)
				}
			}
		}
	}
	if settings != nil {
		sum = sum.Add(record.ProjectRow(settings))
	}
	for _, rows := range []map[string]record.StateSum{schemas, live} {
		for _, row := range rows {
			sum = sum.Add(row)
		}
	}
	for collection, ranks := range f.ranks {
		for entry, rank := range ranks {
			sum = sum.Add(record.RankRow(collection, entry, rank))
		}
	}
	return sum
}

// wantSum checks the kept state sum and the recomputed one against the log's own.
func (f *feed) wantSum(t fataler, s *Store) {
	t.Helper()
	kept, held, err := s.StateHash(context.Background(), f.id)
	if err != nil || !held {
		t.Fatalf("state sum of %s: held %v, %v", f.id, held, err)
	}
	scanned, err := s.Rescan(context.Background(), f.id)
	if err != nil {
		t.Fatal(err)
	}
	if want := f.sum(); kept != want || scanned != want {
		t.Fatalf("state sum of %s: kept %s, scanned %s, want %s", f.id, kept, scanned, want)
	}
}

func entryText(n uint64) string {
	var b [16]byte
	b[0] = 1
	for i := range 8 {
		b[15-i] = byte(n >> (8 * i))
	}
	return string(content.FromBytes[content.EntryID](b))
}
