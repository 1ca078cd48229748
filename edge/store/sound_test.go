package store

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/read"
)

// stored is what a store holds of one generation.
type stored struct {
	*snapshot.Reader
	src pebble.Reader
	gen layout.Generation
}

func openStored(src pebble.Reader, g layout.Generation) *stored {
	return &stored{snapshot.New(src, g), src, g}
}

// wantSound checks that everything stored about a project says the same: entries, documents, numbers, live sets and the
// head index.
func wantSound(t fataler, s *Store, id string) {
	t.Helper()
	row, held, err := s.logRow(id)
	if err != nil || !held {
		t.Fatal(held, err)
	}
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := openStored(snap, row.Gen)
	defer r.Close()
	it, err := r.Iterator(snapshot.Secondary)
	if err != nil {
		t.Fatal(err)
	}
	storedCollections, err := layout.ReadCollectionStates(it, row.Gen)
	if err != nil {
		t.Fatal(err)
	}
	for c := range storedCollections {
		soundCollection(t, s, r, c)
	}
}

func soundCollection(t fataler, s *Store, r *stored, c uint32) {
	t.Helper()
	it, _ := r.Iterator(snapshot.Secondary)
	var wantHead [][]byte
	live := roaring.New()
	entries, documents := 0, 0
	start := r.gen.Collection(nil, layout.TableEntry, c)
	var last layout.EntryID
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		e, release := layout.EntryIn(it.Key()[layout.CollectionLen:]), layout.EntryReleaseIn(it.Key())
		value, _ := it.ValueAndErr()
		st, err := layout.ReadEntryState(value)
		if err != nil {
			t.Fatal(err)
		}
		d, found, err := r.Document(c, e, release)
		if err != nil || found != st.Live || found && (d.Revision != st.Revision || string(d.Slug) != st.Slug) {
			t.Fatalf("entry %s at %d: %v %v %v, want %v", e.Text(), release, d, found, err, st)
		}
		if entries == 0 || e != last {
			if entries++; st.Live {
				live.Add(st.Document)
				rank := get1(t, r, r.gen.Entry(nil, layout.TableRank, c, e))
				wantHead = append(wantHead, r.gen.Head(nil, c, string(rank), e))
			}
		}
		if st.Live {
			documents++
			numbered := get1(t, r, r.gen.CollectionNumber(nil, layout.TableDocumentNumber, c, st.Document))
			if want := binary.BigEndian.AppendUint64(bytes.Clone(e[:]), release); !bytes.Equal(numbered, want) {
				t.Fatalf("document %d belongs to %x, want %x", st.Document, numbered, want)
			}
		}
		soundCoded(t, r, c, e, release, &d)
		last = e
	}
	slices.SortFunc(wantHead, bytes.Compare)
	if got := keysOf(r, layout.TableHead, c); !slices.EqualFunc(got, wantHead, bytes.Equal) {
		t.Fatalf("head index of %d:\n got %x\nwant %x", c, got, wantHead)
	}
	if got := len(keysOf(r, layout.TableFirst, c)); got != entries {
		t.Fatalf("%d entries ever were, want %d", got, entries)
	}
	if got := len(keysOf(r, layout.TableDocumentNumber, c)); got != documents {
		t.Fatalf("%d documents have a number, want %d", got, documents)
	}
	if got, want := len(keysOf(r, layout.TableRanked, c)), len(keysOf(r, layout.TableRank, c)); got != want {
		t.Fatalf("%d entries by rank, %d ranks by entry", got, want)
	}
	soundIndexes(t, r, c, s.tune.rows.Chunks)
	touched, err := (&snapshot.Changes{}).Last(r.Reader, c, layout.MaxRelease-1)
	if err != nil {
		t.Fatal(err)
	}
	if touched.Live != uint32(len(wantHead)) || touched.Ever != uint32(entries) {
		t.Fatalf("counters %+v, want %d live of %d", touched, len(wantHead), entries)
	}
	set, err := snapshot.ReadLiveSet(it, r.gen, c, layout.MaxRelease-1)
	if err != nil || !set.Equals(live) {
		t.Fatalf("live set %v, want %v; %v", set, live, err)
	}
}

// soundCoded checks that the fields of a document are kept as the codings pack them.
func soundCoded(t fataler, r *stored, c uint32, e layout.EntryID, release uint64, d *layout.Document) {
	t.Helper()
	for _, coding := range read.Packed {
		want, err := coding.Pack(nil, d.Fields)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := r.Coded(nil, coding, c, e, d.Revision, release)
		if err != nil || !bytes.Equal(kept, want) {
			t.Fatalf("entry %s at %d: %d bytes are kept in %s, %v; want %d", e.Text(), release, len(kept), coding, err, len(want))
		}
	}
}

func get1(t fataler, r *stored, key []byte) []byte {
	t.Helper()
	value, err := layout.Get(r.src, key)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func keysOf(r *stored, table layout.Table, c uint32) (out [][]byte) {
	it, _ := r.Iterator(snapshot.Primary)
	start := r.gen.Collection(nil, table, c)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		out = append(out, bytes.Clone(it.Key()))
	}
	return out
}

// wantGenerations checks that nothing is stored but n generations and the store's own.
func wantGenerations(t fataler, s *Store, n int) {
	t.Helper()
	if got := generationsIn(t, s); len(got) != n {
		t.Fatalf("generations %v are stored, want %d", slices.Sorted(maps.Keys(got)), n)
	}
}

func generationsIn(t fataler, s *Store) map[layout.Generation]bool {
	t.Helper()
	it, err := s.db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	out := map[layout.Generation]bool{}
	for g := layout.Global + 1; ; g++ {
		lower, _ := g.Span()
		if !it.SeekGE(lower) {
			return out
		}
		g = layout.Generation(binary.BigEndian.Uint64(it.Key()))
		out[g] = true
	}
}
