package plan

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// Recent is what was published in a collection since its words were indexed: which words and pairs of words the documents have that
// came. The first search after a release reads them. It is shared by the moments of the project between two passes over texts.
type Recent struct {
	since uint64                         // release up to which words are indexed
	defs  map[string][]*index.Definition // of words

	mu        sync.RWMutex
	upTo      uint64 // newest release that was read
	first     uint32 // number of the first document that came
	documents []recentDocument
	entries   []recentEntry
	touched   *roaring.Bitmap     // the numbers of all entries
	terms     map[uint64][]uint32 // by the hash of a term: documents that have it, counted from first
	seed      maphash.Seed

	values index.FieldValues
	key    []byte
}

// recentDocument is a document that came.
type recentDocument struct {
	entry    uint32 // number of its entry
	from, to uint64 // releases that published it and that took it away; to is 0 while it is live
}

// recentEntry is an entry of which a document came or went.
type recentEntry struct {
	number uint32
	from   uint64 // release since which the index does not tell of it
}

// NewRecent is what comes after a release, up to which everything is indexed.
func NewRecent(since uint64, definitions map[index.Name]*index.Definition) *Recent {
	r := &Recent{since: since, defs: map[string][]*index.Definition{}, seed: maphash.MakeSeed()}
	r.forget()
	for _, d := range definitions {
		if d.Class == index.ClassTerms {
			r.defs[d.Field] = append(r.defs[d.Field], d)
		}
	}
	return r
}

// correct makes the set of what is indexed with some terms one of everything that a release and those before it published with all of
// them. Terms are told by their definition, locale and value. It changes no set that it is given.
func (r *Recent) correct(set *roaring.Bitmap, terms [][]byte, past bool, release uint64) *roaring.Bitmap {
	if release <= r.since {
		return set
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if past {
		set = set.Clone()
	} else {
		set = roaring.AndNot(set, r.touchedBy(release))
	}
	for _, i := range r.having(terms) {
		d := &r.documents[i]
		switch {
		case d.from > release:
		case past:
			set.Add(r.first + i)
		case d.to == 0 || d.to > release:
			set.Add(d.entry)
		}
	}
	return set
}

// having is which documents have all terms.
func (r *Recent) having(terms [][]byte) []uint32 {
	all := r.terms[maphash.Bytes(r.seed, terms[0])]
	for _, term := range terms[1:] {
		some := r.terms[maphash.Bytes(r.seed, term)]
		all = slices.DeleteFunc(slices.Clone(all), func(i uint32) bool {
			_, has := slices.BinarySearch(some, i)
			return !has
		})
	}
	return all
}

// touchedBy is of which entries documents came or went up to a release.
func (r *Recent) touchedBy(release uint64) *roaring.Bitmap {
	if release >= r.upTo {
		return r.touched
	}
	touched := roaring.New()
	for _, e := range r.entries {
		if e.from <= release {
			touched.Add(e.number)
		}
	}
	return touched
}

// readTo reads what the releases up to one published that were not read yet.
func (r *Recent) readTo(release uint64, from *snapshot.Reader, c uint32) error {
	r.mu.RLock()
	known := r.upTo >= release
	r.mu.RUnlock()
	if known {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.upTo >= release {
		return nil
	}
	it, err := from.Iterator(snapshot.Primary)
	if err != nil {
		return err
	}
	err = snapshot.EachDelta(it, from.Generation, c, r.upTo+1, release, func(release uint64, d *layout.LiveDelta, removed *roaring.Bitmap) error {
		if len(r.documents) == 0 {
			r.first = d.First
		}
		for n := range d.Added {
			if err := r.came(from, c, d.First+n, release); err != nil {
				return err
			}
		}
		for n := range roaring.Values(removed) {
			if err := r.went(from, c, n, release); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.forget()
		return err
	}
	r.upTo = release
	return nil
}

// forget makes that everything is read again.
func (r *Recent) forget() {
	r.upTo, r.documents, r.entries = r.since, nil, nil
	r.touched, r.terms = roaring.New(), map[uint64][]uint32{}
}

// came takes in a document that a release published.
func (r *Recent) came(from *snapshot.Reader, c, document uint32, release uint64) error {
	e, _, err := from.EntryOf(c, document)
	if err != nil {
		return err
	}
	n, err := from.EntryNumber(c, e)
	if err != nil {
		return err
	}
	d, live, err := from.Document(c, e, release)
	if err != nil {
		return err
	}
	if !live {
		return layout.Damaged("number: its document is empty")
	}
	if err := r.values.ReadTerms(r.defs, d.Fields); err != nil {
		return err
	}
	at := uint32(len(r.documents))
	r.documents = append(r.documents, recentDocument{entry: n, from: release})
	for i := range r.values.Terms {
		r.key = r.values.Terms[i].AppendKey(r.key[:0])
		hash := maphash.Bytes(r.seed, r.key)
		if have := r.terms[hash]; len(have) == 0 || have[len(have)-1] != at {
			r.terms[hash] = append(have, at)
		}
	}
	r.touch(n, release)
	return nil
}

// went takes in that a release replaced a document or took it away.
func (r *Recent) went(from *snapshot.Reader, c, document uint32, release uint64) error {
	if len(r.documents) > 0 && document >= r.first {
		r.documents[document-r.first].to = release
		return nil
	}
	e, _, err := from.EntryOf(c, document)
	if err != nil {
		return err
	}
	n, err := from.EntryNumber(c, e)
	if err == nil {
		r.touch(n, release)
	}
	return err
}

// touch notes that the index does not tell of an entry.
func (r *Recent) touch(n uint32, release uint64) {
	if r.touched.CheckedAdd(n) {
		r.entries = append(r.entries, recentEntry{n, release})
	}
}
