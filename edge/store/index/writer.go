package index

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
)

// Target is where the index rows of one collection go.
type Target struct {
	Generation layout.Generation
	Collection uint32
	Out        layout.Sink
	Stored     *pebble.Iterator // the generation as it was before the batch
	Folds      *Folds           // nil in loads: nothing is stored yet that an operand could be put together with
	Chunks     bitmap.Chunking
	PastBytes  int // of what a batch says of documents, before some of it is written
}

// Writer writes what documents say into the indexes of their fields. It is one for each collection and batch; end writes
// what it collected.
type Writer struct {
	to       Target
	defs     map[string][]*Definition
	old, now FieldValues
	live     postings
	past     postings
	passed   bool     // some of past was written already, so that sets in it are not written whole
	went     [][]byte // rows of TableOrdered
	came     []orderedRow
	bytes    int // of both, about
	at       []byte
}

type orderedRow struct {
	key []byte
	n   uint32
}

// NewWriter writes the definitions of some fields.
func NewWriter(t Target, defs map[string][]*Definition) *Writer {
	return &Writer{to: t, defs: defs, live: postings{chunks: t.Chunks}, past: postings{chunks: t.Chunks}, at: make([]byte, 0, 128)}
}

// Former takes the fields that a live entry had until now, for the call of replaced or removed that follows.
func (x *Writer) Former(fields []byte) error { return x.old.Read(x.defs, fields) }

// Replaced indexes the document d of an entry that was live with another one.
func (x *Writer) Replaced(e layout.EntryID, n, d uint32, fields []byte) error {
	err := x.now.Read(x.defs, fields)
	if err == nil {
		err = x.addPast(d)
	}
	if err == nil {
		x.move(e, n)
	}
	return err
}

// Added indexes the document d of an entry that was not live.
func (x *Writer) Added(e layout.EntryID, n, d uint32, fields []byte) error {
	if err := x.now.Read(x.defs, fields); err != nil {
		return err
	}
	if err := x.addPast(d); err != nil {
		return err
	}
	x.enter(e, n)
	for i := range x.now.List {
		x.put(&x.now.List[i], e, n, true)
	}
	return nil
}

// Removed takes an entry out that was live until now.
func (x *Writer) Removed(e layout.EntryID, n uint32) {
	x.now.List = x.now.List[:0]
	x.move(e, n)
	every := FieldValue{Definition: layout.EveryEntry, Value: noValue}
	x.live.set(x.presenceKey(layout.LiveSpace, &every), n, false)
	x.dropOrdered(&every, e)
}

// noValue is what EveryEntry orders by.
var noValue = layout.AppendValue(nil, nil)

// enter counts an entry in that was not live.
func (x *Writer) enter(e layout.EntryID, n uint32) {
	every := FieldValue{Definition: layout.EveryEntry, Value: noValue}
	x.live.set(x.presenceKey(layout.LiveSpace, &every), n, true)
	x.putOrdered(&every, e, n)
}

// addPast adds a document to what pins read. Where that gets much in one batch, what there is of it is written.
func (x *Writer) addPast(d uint32) error {
	for i := range x.now.List {
		f := &x.now.List[i]
		x.past.set(x.presenceKey(layout.PastSpace, f), d, true)
		if f.Value != nil {
			x.past.set(x.postingKey(layout.PastSpace, f), d, true)
		}
	}
	if x.to.Folds == nil || x.past.size < x.to.PastBytes {
		return nil
	}
	x.passed = true
	return x.past.flush(x.to.Out.Merge)
}

// move writes what differs between the former document and the present one. Both tell what they have in the same order.
func (x *Writer) move(e layout.EntryID, n uint32) {
	old, now := x.old.List, x.now.List
	for len(old) > 0 || len(now) > 0 {
		order := -1 // only the former has it
		switch {
		case len(old) == 0:
			order = 1
		case len(now) > 0:
			order = old[0].compare(&now[0])
		}
		kept := order == 0 && old[0].Presence() == now[0].Presence()
		if kept && bytes.Equal(old[0].Value, now[0].Value) {
			old, now = old[1:], now[1:]
			continue
		}
		if order <= 0 {
			x.drop(&old[0], e, n, !kept)
			old = old[1:]
		}
		if order >= 0 {
			x.put(&now[0], e, n, !kept)
			now = now[1:]
		}
	}
}

// put writes what an entry has, and its presence where that is new.
func (x *Writer) put(f *FieldValue, e layout.EntryID, n uint32, presence bool) {
	if presence {
		x.live.set(x.presenceKey(layout.LiveSpace, f), n, true)
	}
	if f.Value != nil {
		x.live.set(x.postingKey(layout.LiveSpace, f), n, true)
		x.putOrdered(f, e, n)
	}
}

func (x *Writer) drop(f *FieldValue, e layout.EntryID, n uint32, presence bool) {
	if presence {
		x.live.set(x.presenceKey(layout.LiveSpace, f), n, false)
	}
	if f.Value != nil {
		x.live.set(x.postingKey(layout.LiveSpace, f), n, false)
		x.dropOrdered(f, e)
	}
}

// presenceKey is the key of who has a value, without its chunk.
func (x *Writer) presenceKey(in layout.Space, f *FieldValue) []byte {
	x.at = append(x.to.Generation.Field(x.at, in.Presence, x.to.Collection, f.Definition, f.Locale), f.Presence())
	return x.at
}

// postingKey is the key of who has this value, without its chunk.
func (x *Writer) postingKey(in layout.Space, f *FieldValue) []byte {
	x.at = append(x.to.Generation.Field(x.at, in.Postings, x.to.Collection, f.Definition, f.Locale), f.Value...)
	return x.at
}

func (x *Writer) ordered(dst []byte, f *FieldValue, e layout.EntryID) []byte {
	dst = x.to.Generation.Field(dst, layout.TableOrdered, x.to.Collection, f.Definition, f.Locale)
	return append(append(dst, f.Value...), e[:]...)
}

func (x *Writer) putOrdered(f *FieldValue, e layout.EntryID, n uint32) {
	row := orderedRow{key: x.ordered(nil, f, e), n: n}
	x.came = append(x.came, row)
	x.bytes += len(row.key) + 64
}

// Size is about how much memory is taken by what was collected.
func (x *Writer) Size() int { return x.bytes + x.live.size + x.past.size }

func (x *Writer) dropOrdered(f *FieldValue, e layout.EntryID) {
	x.went = append(x.went, x.ordered(nil, f, e))
}

// Flush writes what was collected.
func (x *Writer) Flush() error {
	if err := layout.DropKeys(x.to.Out, x.to.Stored, x.went); err != nil {
		return err
	}
	for i := range x.came {
		if err := layout.PutEntryNumber(x.to.Out, x.came[i].key, x.came[i].n); err != nil {
			return err
		}
	}
	x.went, x.came, x.bytes = x.went[:0], x.came[:0], 0
	write := x.mergeSet
	if err := x.live.flush(write); err != nil {
		return err
	}
	if x.passed {
		write = x.to.Out.Merge
	}
	return x.past.flush(write)
}
