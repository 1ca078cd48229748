package snapshot

import (
	"bytes"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/shared/read"
)

// Reader reads one generation as of one snapshot. It opens iterators as they are needed and keeps them; each role is
// for one table at a time. What it copies out stays valid until close, after which its memory serves another reader.
type Reader struct {
	src        pebble.Reader
	Generation layout.Generation
	its        [roles]*pebble.Iterator
	apart      [roles]int // rows to seek before steps are tried again: see seek

	key   []byte // where something was looked for
	arena []byte // field data of rows
	text  []byte // ids and slugs of a page
	slugs []int  // and the lengths of those slugs
	keys  []int  // and of the keys of their rows
	rows  []read.Row
}

// Role is what an iterator is used for.
type Role int

const (
	Primary           Role = iota // the order of a list, and single rows
	Secondary                     // what is compared with it
	documents                     // TableDocument, and who took a slug
	Words                         // TableWords
	coded                         // TableGzip or TableZstd
	Numbers                       // TableDocumentNumber
	Postings                      // postings and presence
	Values                        // postings in order, in the locale that is read
	ValuesDefault                 // the same, in the default locale
	ValuesUnlocalized             // the same, of values outside of locale maps
	roles
)

var readers = sync.Pool{New: func() any { return &Reader{} }}

// New opens a reader of one generation; it ends with Close.
func New(src pebble.Reader, g layout.Generation) *Reader {
	r := readers.Get().(*Reader)
	r.src, r.Generation = src, g
	return r
}

// Steps is what the reads so far took, in steps of iterators; a seek counts as ten.
func (r *Reader) Steps() (n int) {
	for _, it := range r.its {
		if it == nil {
			continue
		}
		stats := it.Stats()
		for _, kind := range []pebble.IteratorStatsKind{pebble.InterfaceCall, pebble.InternalIterCall} {
			n += stats.ForwardStepCount[kind] + stats.ReverseStepCount[kind] + 10*(stats.ForwardSeekCount[kind]+stats.ReverseSeekCount[kind])
		}
	}
	return n
}

// maxKeptArena keeps one large page from staying in memory for ever.
const maxKeptArena = 1 << 20

// Close closes the iterators. What the reader returned is not valid any more.
func (r *Reader) Close() error {
	var errs []error
	for i, it := range r.its {
		if it != nil {
			errs = append(errs, it.Close())
			r.its[i], r.apart[i] = nil, 0
		}
	}
	r.src = nil
	if cap(r.arena) > maxKeptArena {
		r.arena = nil
	}
	clear(r.rows[:cap(r.rows)])
	r.arena, r.rows = r.arena[:0], r.rows[:0]
	readers.Put(r)
	return errors.Join(errs...)
}

// Iterator returns the iterator of a role. Who calls for it moves it; nothing else may rely on where it stood.
func (r *Reader) Iterator(i Role) (*pebble.Iterator, error) {
	if r.its[i] != nil {
		return r.its[i], nil
	}
	lower, upper := r.Generation.Span()
	switch i {
	case documents:
		lower, upper = r.Generation.Start(nil, layout.TableDocument), r.Generation.End(nil, layout.TableEntrySlug)
	case coded:
		lower, upper = r.Generation.Start(nil, layout.TableGzip), r.Generation.End(nil, layout.TableZstd)
	case Words:
		lower, upper = r.Generation.Start(nil, layout.TableWords), r.Generation.End(nil, layout.TableWords)
	case Postings, Values, ValuesDefault, ValuesUnlocalized:
		lower, upper = r.Generation.Start(nil, layout.TablePosting), r.Generation.End(nil, layout.TablePastPresence)
	}
	it, err := r.src.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	r.its[i] = it
	return it, err
}

// Document finds the document of an entry that holds at a release, and false where the entry was not live then.
// Documents lie in the order of the lists, so the one wanted next is often the one that follows.
func (r *Reader) Document(c uint32, e layout.EntryID, release uint64) (layout.Document, bool, error) {
	r.key = r.Generation.EntryAt(r.key, layout.TableDocument, c, e, release)
	it, err := r.seek(documents)
	if err != nil {
		return layout.Document{}, false, err
	}
	if !it.Valid() || !bytes.HasPrefix(it.Key(), r.key[:layout.EntryPrefixLen]) {
		return layout.Document{}, false, it.Error()
	}
	return layout.DocumentIn(it)
}

const (
	followSteps = 3 // how far off a row may be to be reached by steps
	soughtRows  = 3 // rows that are sought at once after one that steps did not reach
)

// seek moves the iterator of a role to the first row at or after r.key: by steps where what is asked for follows each other.
func (r *Reader) seek(i Role) (*pebble.Iterator, error) {
	it, err := r.Iterator(i)
	if err != nil {
		return nil, err
	}
	if r.apart[i] > 0 {
		r.apart[i]--
	} else if it.Valid() {
		if r.follows(it) {
			return it, nil
		}
		r.apart[i] = soughtRows
	}
	it.SeekGE(r.key)
	return it, nil
}

// follows steps forward where that leads to the row that r.key looks for: the first at or after it.
func (r *Reader) follows(it *pebble.Iterator) bool {
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

// State finds an entry as it was at a release, its collection given, with the release that put it so.
func (r *Reader) State(i Role, c uint32, e layout.EntryID, release uint64) (layout.EntryState, uint64, error) {
	it, err := r.Iterator(i)
	if err != nil {
		return layout.EntryState{}, 0, err
	}
	r.key = r.Generation.EntryAt(r.key, layout.TableEntry, c, e, release)
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
func (r *Reader) keep(b []byte) []byte {
	if cap(r.arena)-len(r.arena) < len(b) {
		r.arena = make([]byte, 0, max(64<<10, 2*cap(r.arena), len(b)))
	}
	start := len(r.arena)
	r.arena = append(r.arena, b...)
	return r.arena[start:len(r.arena):len(r.arena)]
}
