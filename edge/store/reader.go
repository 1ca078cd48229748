package store

import (
	"bytes"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
	"svc/shared/read"
)

// reader reads one generation as of one snapshot. It opens iterators as they are needed and keeps them; each role is
// for one table at a time. What it copies out stays valid until close, after which its memory serves another reader.
type reader struct {
	src pebble.Reader
	gen layout.Generation
	its [roles]*pebble.Iterator

	key   []byte // where something was looked for
	arena []byte // field data of rows
	text  []byte // ids and slugs of a page
	slugs []int  // and the lengths of those slugs
	keys  []int  // and of the keys of their rows
	rows  []read.Row
	hits  []layout.Position

	filing filing

	blocks bitmap.Pool // of the sets of a query
}

// role is what an iterator is used for.
type role int

const (
	walking   role = iota // the order of a list, and single rows
	beside                // what is compared with it
	documents             // TableDocument
	clusters              // TableCluster
	counted               // TableEntryNumber and TableDocumentNumber
	sets                  // postings and presence
	ordered               // TableOrdered or postings in order, in the locale that is read
	fallback              // the same, in the default locale
	plainly               // the same, of values outside of locale maps
	roles
)

var readers = sync.Pool{New: func() any { return &reader{} }}

func newReader(src pebble.Reader, g layout.Generation) *reader {
	r := readers.Get().(*reader)
	r.src, r.gen, r.filing = src, g, filing{}
	return r
}

// maxKeptArena keeps one large page from staying in memory for ever.
const maxKeptArena = 1 << 20

func (r *reader) close() error {
	var errs []error
	for i, it := range r.its {
		if it != nil {
			errs = append(errs, it.Close())
			r.its[i] = nil
		}
	}
	r.src = nil
	r.blocks.Release()
	if cap(r.arena) > maxKeptArena {
		r.arena = nil
	}
	clear(r.rows[:cap(r.rows)])
	clear(r.hits[:cap(r.hits)])
	r.arena, r.rows, r.hits = r.arena[:0], r.rows[:0], r.hits[:0]
	readers.Put(r)
	return errors.Join(errs...)
}

func (r *reader) iterator(i role) (*pebble.Iterator, error) {
	if r.its[i] != nil {
		return r.its[i], nil
	}
	lower, upper := r.gen.Span()
	switch i {
	case documents:
		lower, upper = r.gen.Start(nil, layout.TableDocument), r.gen.End(nil, layout.TableDocument)
	case clusters:
		lower, upper = r.gen.Start(nil, layout.TableCluster), r.gen.End(nil, layout.TableCluster)
	case sets, ordered, fallback, plainly:
		lower, upper = r.gen.Start(nil, layout.TablePosting), r.gen.End(nil, layout.TablePastPresence)
	}
	it, err := r.src.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	r.its[i] = it
	return it, err
}

// document finds the document of an entry that holds at a release, and false where the entry was not live then.
// Documents lie in the order of the lists, so the one wanted next is often the one that follows.
func (r *reader) document(c uint32, e layout.EntryID, release uint64) (layout.Document, bool, error) {
	it, err := r.iterator(documents)
	if err != nil {
		return layout.Document{}, false, err
	}
	r.key = r.gen.EntryAt(r.key, layout.TableDocument, c, e, release)
	if !r.follows(it) {
		it.SeekGE(r.key)
	}
	return r.documentIn(it)
}

// documentIn reads the row of TableDocument at which the iterator stands, if that is one of the entry in r.key.
func (r *reader) documentIn(it *pebble.Iterator) (layout.Document, bool, error) {
	if !it.Valid() || !bytes.HasPrefix(it.Key(), r.key[:layout.EntryPrefixLen]) {
		return layout.Document{}, false, it.Error()
	}
	return layout.DocumentIn(it)
}

// followSteps is how far off a row may be to be reached by steps.
const followSteps = 3

// follows steps forward where that leads to the row that r.key looks for: the first at or after it.
func (r *reader) follows(it *pebble.Iterator) bool {
	if !it.Valid() {
		return false
	}
	at := bytes.Compare(it.Key(), r.key)
	if at >= 0 {
		return at == 0
	}
	for range followSteps {
		if !it.Next() {
			return false
		}
		if bytes.Compare(it.Key(), r.key) >= 0 {
			return true
		}
	}
	return false
}

// state finds an entry as it was at a release, its collection given, with the release that put it so.
func (r *reader) state(i role, c uint32, e layout.EntryID, release uint64) (layout.EntryState, uint64, error) {
	it, err := r.iterator(i)
	if err != nil {
		return layout.EntryState{}, 0, err
	}
	r.key = r.gen.EntryAt(r.key, layout.TableEntry, c, e, release)
	if !it.SeekGE(r.key) || !bytes.HasPrefix(it.Key(), r.key[:layout.EntryPrefixLen]) {
		return layout.EntryState{}, 0, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return layout.EntryState{}, 0, err
	}
	s, err := layout.ReadEntryState(value)
	return s, layout.EntryReleaseIn(it.Key()), err
}

// keep copies field data to where it stays until the reader is closed. Memory handed out before is never moved.
func (r *reader) keep(b []byte) []byte {
	if cap(r.arena)-len(r.arena) < len(b) {
		r.arena = make([]byte, 0, max(64<<10, 2*cap(r.arena), len(b)))
	}
	start := len(r.arena)
	r.arena = append(r.arena, b...)
	return r.arena[start:len(r.arena):len(r.arena)]
}
