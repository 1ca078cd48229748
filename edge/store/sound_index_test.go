package store

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// soundIndexes checks that the indexes of a collection say what its documents do: those of built definitions all of it,
// others nothing else.
func soundIndexes(t fataler, r *stored, c uint32, chunks layout.Chunking) {
	t.Helper()
	w := indexWant{t: t, chunks: chunks, r: r, c: c, defs: index.NewDefinitions(), sets: map[string]map[uint32]bool{}, words: map[string][]byte{}, built: map[uint32]bool{layout.EveryEntry: true}, terms: map[uint32]bool{}}
	it, _ := r.Iterator(snapshot.Secondary)
	if err := index.ReadDefinitions(it, r.gen, c, func(d *index.Definition) {
		w.defs.Add(d)
		w.terms[d.Number] = d.Class == index.ClassTerms
		w.built[d.Number] = d.Built
	}); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.texts, err = layout.TextsIndexedIn(it, r.gen, c); err != nil {
		t.Fatal(err)
	}
	w.collect()
	for _, table := range []layout.Table{layout.TablePosting, layout.TablePresence, layout.TablePastPosting, layout.TablePastPresence} {
		w.wantSets(table)
	}
	w.wantWords()
}

type indexWant struct {
	t      fataler
	r      *stored
	c      uint32
	defs   index.Definitions
	chunks layout.Chunking
	built  map[uint32]bool
	terms  map[uint32]bool
	sets   map[string]map[uint32]bool // by key without chunk
	words  map[string][]byte
	texts  layout.TextsIndexed
}

func (w *indexWant) collect() {
	w.t.Helper()
	var last layout.EntryID
	var f index.FieldValues
	indexed := map[layout.EntryID]bool{} // the words of the document that the index tells of were seen
	for i, key := range keysOf(w.r, layout.TableEntry, w.c) {
		e, release := layout.EntryIn(key[layout.CollectionLen:]), layout.EntryReleaseIn(key)
		newest := i == 0 || e != last
		last = e
		now, err := layout.ReadEntryState(get1(w.t, w.r, key))
		if err != nil {
			w.t.Fatal(err)
		}
		tells := release <= w.texts.Release && !indexed[e]
		indexed[e] = indexed[e] || tells
		if !now.Live {
			continue
		}
		d, _, err := w.r.Document(w.c, e, release)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := f.Read(w.defs.ByField, d.Fields); err != nil {
			w.t.Fatal(err)
		}
		ever := get1(w.t, w.r, w.r.gen.Entry(nil, layout.TableFirst, w.c, e))
		n := binary.BigEndian.Uint32(ever[8:])
		w.note(&f, layout.PastSpace, now.Document)
		if release <= w.texts.Release {
			w.noteTerms(&f, layout.PastSpace, now.Document)
		}
		if tells {
			w.noteTerms(&f, layout.LiveSpace, n)
		}
		for i := range f.Words {
			one := &f.Words[i]
			key := layout.AppendLocale(w.r.gen.Words(nil, w.c, e, release, one.Definition), one.Locale)
			w.words[string(key)] = bytes.Clone(one.Text)
		}
		if !newest {
			continue
		}
		rank := get1(w.t, w.r, w.r.gen.Entry(nil, layout.TableRank, w.c, e))
		if got := get1(w.t, w.r, w.r.gen.Head(nil, w.c, string(rank), e)); got == nil {
			w.t.Fatalf("the default order lacks entry %d", n)
		}
		w.note(&f, layout.LiveSpace, n)
		w.set(append(w.key(layout.TablePresence, layout.EveryEntry, nil), layout.Fits), n)
	}
}

func (w *indexWant) key(t layout.Table, f uint32, locale []byte) []byte {
	return w.r.gen.Field(nil, t, w.c, f, locale)
}

func (w *indexWant) note(f *index.FieldValues, in layout.Space, n uint32) {
	for i := range f.List {
		one := &f.List[i]
		w.set(append(w.key(in.Postings, one.Definition, one.Locale), one.Value...), n)
	}
	for i := range f.Present {
		one := &f.Present[i]
		w.set(append(w.key(in.Presence, one.Definition, one.Locale), one.Kind), n)
	}
}

func (w *indexWant) noteTerms(f *index.FieldValues, in layout.Space, n uint32) {
	for i := range f.Terms {
		one := &f.Terms[i]
		w.set(one.AppendKey(w.r.gen.Collection(nil, in.Postings, w.c)), n)
	}
}

func (w *indexWant) set(key []byte, n uint32) {
	if w.sets[string(key)] == nil {
		w.sets[string(key)] = map[uint32]bool{}
	}
	w.sets[string(key)][n] = true
}

func definitionOf(key []byte) uint32 { return binary.BigEndian.Uint32(key[layout.CollectionLen:]) }

func (w *indexWant) wantSets(of layout.Table) {
	w.t.Helper()
	got := map[string]map[uint32]bool{}
	for _, row := range keysOf(w.r, of, w.c) {
		key := string(row[:len(row)-layout.ChunkLen])
		set := roaring.New()
		if err := layout.AddNumbers(set, get1(w.t, w.r, row)); err != nil {
			w.t.Fatalf("set %x: %d numbers, %v", row, set.GetCardinality(), err)
		}
		if got[key] == nil && !set.IsEmpty() {
			got[key] = map[uint32]bool{}
		}
		for n := range roaring.Values(set) {
			if got[key][n] = true; !bytes.Equal(w.chunks.Append([]byte(key), n), row) {
				w.t.Fatalf("set %x holds %d", row, n)
			}
		}
	}
	if w.texts.Target != 0 { // what a pass writes of words is in part there
		isWords := func(key string, _ map[uint32]bool) bool { return w.terms[definitionOf([]byte(key))] }
		maps.DeleteFunc(got, isWords)
		maps.DeleteFunc(w.sets, isWords)
	}
	for key, want := range w.sets {
		if layout.Table(key[8]) == of && w.built[definitionOf([]byte(key))] && !maps.Equal(got[key], want) {
			w.t.Fatalf("set %x holds %v, want %v", key, slices.Sorted(maps.Keys(got[key])), slices.Sorted(maps.Keys(want)))
		}
	}
	for key, set := range got {
		for n := range set {
			if !w.sets[key][n] {
				w.t.Fatalf("set %x holds %d, which does not belong there", key, n)
			}
		}
	}
}

func (w *indexWant) wantWords() {
	w.t.Helper()
	got := map[string]bool{}
	for _, row := range keysOf(w.r, layout.TableWords, w.c) {
		got[string(row)] = true
		if words := get1(w.t, w.r, row); !bytes.Equal(words, w.words[string(row)]) {
			w.t.Fatalf("words %x are %q, want %q", row, words, w.words[string(row)])
		}
	}
	for key := range w.words {
		if definition := binary.BigEndian.Uint32([]byte(key[layout.EntryRowLen:])); w.built[definition] && !got[key] {
			w.t.Fatalf("words %x are missing", key)
		}
	}
}

// wantBuilt checks that nothing is left to build.
func wantBuilt(t fataler, s *Store, id string) {
	t.Helper()
	row, _, err := s.logRow(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, marked := s.unbuilt.Load(id); marked {
		t.Fatalf("the log is marked as not built")
	}
	r := openStored(s.db, row.Gen)
	defer r.Close()
	it, _ := r.Iterator(snapshot.Secondary)
	storedCollections, err := layout.ReadCollectionStates(it, row.Gen)
	if err != nil {
		t.Fatal(err)
	}
	for c := range storedCollections {
		if err := index.ReadDefinitions(it, row.Gen, c, func(d *index.Definition) {
			if !d.Built {
				t.Fatalf("definition %d of %s is not built", d.Number, d.Field)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// wantTexts checks that the words of everything are indexed.
func wantTexts(t fataler, s *Store, id string) {
	t.Helper()
	l := s.log(id)
	if pass, err := s.beginTexts(l, nil); err != nil || pass != nil {
		t.Fatalf("words of %v are not indexed, %v", pass, err)
	}
}
