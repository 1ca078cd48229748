package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/shared/content"
)

// writer turns changes of a project into rows of one generation.
type writer struct {
	s   *Store
	log string
	led *logState
	out layout.Sink
	it  *pebble.Iterator // reads the generation as it was when the writer began, or last flushed
	// What large releases read beside the entries, each in the order of entries too; nil: that is left to it.
	documents, numbers *pebble.Iterator

	// Of loads only. They write no head index and no sum: both are made at the end, from what came out.
	loading bool
	fresh   map[freshKey]layout.EntryState // entries written since it was made
	seen    map[uint32]*[2]layout.EntryID  // least and greatest entry of each collection so far

	key, value []byte
}

type freshKey struct {
	c uint32
	e layout.EntryID
}

// indexTarget is where the index rows of a collection go.
func (w *writer) indexTarget(a *account) index.Target {
	t := index.Target{Generation: w.led.Gen, Collection: a.number, Out: w.out, Stored: w.it, Chunks: w.s.tune.lists.Chunks, PastBytes: w.s.tune.pastBytes}
	if !w.loading {
		t.Folds = &a.folds
	}
	return t
}

// account returns a collection, giving it a number where it is new.
func (w *writer) account(name string) (*account, error) {
	a := w.led.byName[name]
	if a == nil {
		if name == "" {
			return nil, fmt.Errorf("a collection has no name")
		}
		a = &account{number: w.led.next, CollectionState: layout.CollectionState{Name: name}}
		w.led.next++
		w.led.byName[name] = a
		if err := w.putCollectionState(a); err != nil {
			return nil, err
		}
	}
	return a, a.open(w.it, w.led.Gen, w.loading)
}

func (w *writer) putCollectionState(a *account) error {
	w.value = a.CollectionState.Append(w.value[:0])
	w.key = w.led.Gen.Collection(w.key, layout.TableCollection, a.number)
	return w.out.Put(w.key, w.value, nil)
}

// add counts a row into the state sum, sub out of it. A load sums up at its end.
func (w *writer) add(row record.StateSum) {
	if !w.loading {
		w.led.Sum = w.led.Sum.Add(row)
	}
}

func (w *writer) sub(row record.StateSum) {
	if !w.loading {
		w.led.Sum = w.led.Sum.Sub(row)
	}
}

// current returns an entry as it is now, and whether it ever was.
func (w *writer) current(a *account, e layout.EntryID) (s layout.EntryState, ever bool, err error) {
	if w.loading {
		if s, ok := w.fresh[freshKey{a.number, e}]; ok {
			return s, true, nil
		}
		if w.isNew(a.number, e) {
			return s, false, nil
		}
	} else if r, ok := a.recent[e]; ok {
		return r.EntryState, true, nil
	}
	w.key = w.led.Gen.Entry(w.key, layout.TableEntry, a.number, e)
	if !w.it.SeekGE(w.key) || !bytes.HasPrefix(w.it.Key(), w.key) {
		return s, false, w.it.Error()
	}
	value, err := w.it.ValueAndErr()
	if err != nil {
		return s, false, err
	}
	s, err = layout.ReadEntryState(value)
	return s, true, err
}

// isNew reports whether an entry lies outside all that a load has seen, which saves looking for it: entries mostly come
// in the order of their ids.
func (w *writer) isNew(c uint32, e layout.EntryID) bool {
	seen := w.seen[c]
	if seen == nil {
		w.seen[c] = &[2]layout.EntryID{e, e}
		return true
	}
	if bytes.Compare(e[:], seen[0][:]) < 0 {
		seen[0] = e
		return true
	}
	if bytes.Compare(e[:], seen[1][:]) > 0 {
		seen[1] = e
		return true
	}
	return false
}

// largeRelease is from how many items on iterators of their own pay for documents and numbers.
const largeRelease = 16

// openBeside opens what a large release reads by.
func (w *writer) openBeside(items int) (err error) {
	if w.loading || items < largeRelease {
		return nil
	}
	if w.documents, err = w.led.Gen.Iterate(w.s.db); err == nil {
		w.numbers, err = w.led.Gen.Iterate(w.s.db)
	}
	return err
}

func (w *writer) closeBeside() error {
	var errs []error
	for _, it := range []*pebble.Iterator{w.documents, w.numbers} {
		if it != nil {
			errs = append(errs, it.Close())
		}
	}
	w.documents, w.numbers = nil, nil
	return errors.Join(errs...)
}

// entryNumber returns the number of an entry that was published before.
func (w *writer) entryNumber(a *account, e layout.EntryID) (uint32, error) {
	if r, ok := a.recent[e]; ok {
		return r.n, nil
	}
	it := cmp.Or(w.numbers, w.it)
	w.key = w.led.Gen.Entry(w.key, layout.TableFirst, a.number, e)
	if !it.SeekGE(w.key) || !bytes.Equal(it.Key(), w.key) {
		if err := it.Error(); err != nil {
			return 0, err
		}
		return 0, layout.Damaged("entry: it has no number")
	}
	_, n, err := layout.FirstIn(it)
	return n, err
}

// rank returns an entry's rank; empty where it has none.
func (w *writer) rank(a *account, e layout.EntryID) (string, error) {
	if !a.ranked {
		return "", nil
	}
	w.key = w.led.Gen.Entry(w.key, layout.TableRank, a.number, e)
	if !w.it.SeekGE(w.key) || !bytes.Equal(w.it.Key(), w.key) {
		return "", w.it.Error()
	}
	rank, err := w.it.ValueAndErr()
	return string(rank), err
}

func parseEntry(id string) (layout.EntryID, error) {
	b, ok := content.Bytes(content.EntryID(id))
	if !ok {
		return layout.EntryID{}, fmt.Errorf("%q is no entry id", id)
	}
	return b, nil
}
