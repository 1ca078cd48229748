package write

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/shared/content"
)

// Options say how rows are written.
type Options struct {
	Chunks    layout.Chunking
	TextBatch int // about how many bytes are taken by what one batch of a text pass changes
}

// DefaultOptions are those of production.
func DefaultOptions() Options {
	return Options{Chunks: layout.DefaultChunking}
}

// Writer turns changes of a log into rows of one generation.
type Writer struct {
	db      *pebble.DB
	options Options
	log     string
	State   *State
	out     layout.Sink
	it      *pebble.Iterator // reads the generation as it was when the writer began, or last flushed
	change  uint64           // number of the change that is written; 0 in loads and builds

	// Of loads only. They write no head index and no sum: both are made at the end, from what came out.
	loading bool
	fresh   map[freshKey]layout.EntryState // entries written since it was made

	key, value []byte
}

type freshKey struct {
	c uint32
	e layout.EntryID
}

// New makes a writer of changes of a log. It reads what is stored by an iterator over the generation, which stays the caller's.
func New(db *pebble.DB, o Options, log string, state *State, out layout.Sink, it *pebble.Iterator) *Writer {
	return &Writer{db: db, options: o, log: log, State: state, out: out, it: it}
}

// Load makes the writer one of a load: it writes into a generation that is empty at first, and neither the head index, nor
// indexes, nor the state sum, which are all made at the end from what came out.
func (w *Writer) Load() {
	w.loading, w.fresh = true, map[freshKey]layout.EntryState{}
}

// Flushed says that all rows of a load so far are stored, and reads on from there.
func (w *Writer) Flushed() error {
	clear(w.fresh)
	it, err := w.State.Gen.Iterate(w.db)
	if err != nil {
		return err
	}
	former := w.it
	w.it = it
	return former.Close()
}

// Stored is what the writer reads by.
func (w *Writer) Stored() *pebble.Iterator { return w.it }

// Close ends the writer of a load.
func (w *Writer) Close() error { return w.it.Close() }

// IndexTarget is where the index rows of a collection go.
func (w *Writer) IndexTarget(a *Collection) index.Target {
	return index.Target{Generation: w.State.Gen, Collection: a.Number, Out: w.out, Stored: w.it, Change: w.change, Chunks: w.options.Chunks}
}

// collection returns a collection, giving it a number where it is new.
func (w *Writer) collection(name string) (*Collection, error) {
	a := w.State.Collections[name]
	if a == nil {
		if name == "" {
			return nil, fmt.Errorf("a collection has no name")
		}
		a = &Collection{Number: w.State.next, CollectionState: layout.CollectionState{Name: name}}
		w.State.next++
		w.State.Collections[name] = a
		if err := w.putCollectionState(a); err != nil {
			return nil, err
		}
	}
	return a, a.open(w.it, w.State.Gen, w.loading)
}

func (w *Writer) putCollectionState(a *Collection) error {
	w.value = a.CollectionState.Append(w.value[:0])
	w.key = w.State.Gen.Collection(w.key, layout.TableCollection, a.Number)
	return w.out.Put(w.key, w.value, nil)
}

// add counts a row into the state sum, sub out of it. A load sums up at its end.
func (w *Writer) add(row record.StateSum) {
	if !w.loading {
		w.State.Sum = w.State.Sum.Add(row)
	}
}

func (w *Writer) sub(row record.StateSum) {
	if !w.loading {
		w.State.Sum = w.State.Sum.Sub(row)
	}
}

// current returns an entry as it is now, and whether it ever was.
func (w *Writer) current(a *Collection, e layout.EntryID) (s layout.EntryState, ever bool, err error) {
	if s, ok := w.fresh[freshKey{a.Number, e}]; ok {
		return s, true, nil
	}
	w.key = w.State.Gen.Entry(w.key, layout.TableEntry, a.Number, e)
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

// entryNumber returns the number of an entry that was published before.
func (w *Writer) entryNumber(a *Collection, e layout.EntryID) (uint32, error) {
	return layout.NumberOf(w.it, w.State.Gen, a.Number, e)
}

// rank returns an entry's rank; empty where it has none.
func (w *Writer) rank(a *Collection, e layout.EntryID) (string, error) {
	if !a.ranked {
		return "", nil
	}
	rank, err := layout.RankOf(w.it, w.State.Gen, a.Number, e)
	return string(rank), err
}

func parseEntry(id string) (layout.EntryID, error) {
	b, ok := content.Bytes(content.EntryID(id))
	if !ok {
		return layout.EntryID{}, fmt.Errorf("%q is no entry id", id)
	}
	return b, nil
}
