package index

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/zeebo/xxh3"

	"svc/edge/store/layout"
)

// Target is where the index rows of one collection go.
type Target struct {
	Generation layout.Generation
	Collection uint32
	Out        layout.Sink
	Stored     *pebble.Iterator // the generation as it was before the batch
	Change     uint64           // number of the change; 0 in a load
	Chunks     layout.Chunking
}

// rareReplacement is how many changes of a row are written as operands, on average, before one writes the row whole. Readers merge
// the operands that are left, so that there should not be many.
const rareReplacement = 64

// replaces reports whether the change writes a row whole.
func (t *Target) replaces(key []byte) bool {
	return t.Change > 0 && xxh3.HashSeed(key, t.Change)%rareReplacement == 0
}

// Writer writes what documents say into the indexes of their fields. It is one for each collection and batch. Flush writes the
// sets, which it collects.
type Writer struct {
	to       Target
	defs     map[string][]*Definition
	old, now FieldValues
	sets     postings
	at       []byte
}

// NewWriter writes the definitions of some fields.
func NewWriter(t Target, defs map[string][]*Definition) *Writer {
	return &Writer{to: t, defs: defs, at: make([]byte, 0, 128)}
}

// NewReleaseWriter writes all but terms, which a TextPass brings in for many documents at once.
func NewReleaseWriter(t Target, defs map[string][]*Definition) *Writer {
	x := NewWriter(t, defs)
	x.now.noTerms, x.old.noTerms, x.old.noWords = true, true, true
	return x
}

// Document says which one is indexed.
type Document struct {
	Entry   layout.EntryID
	Release uint64 // that published it
	Number  uint32
}

// Former takes the fields that a live entry had until now, for the call of replaced or removed that follows.
func (x *Writer) Former(fields []byte) error { return x.old.Read(x.defs, fields) }

// Replaced indexes a document of the entry n that was live with another one.
func (x *Writer) Replaced(d *Document, n uint32, fields []byte) error {
	if err := x.readPast(d, fields); err != nil {
		return err
	}
	x.move(n)
	return nil
}

// Added indexes a document of the entry n that was not live.
func (x *Writer) Added(d *Document, n uint32, fields []byte) error {
	if err := x.readPast(d, fields); err != nil {
		return err
	}
	x.enter(n)
	x.old.clear()
	x.move(n)
	return nil
}

// Removed takes an entry out that was live until now.
func (x *Writer) Removed(n uint32) {
	x.now.clear()
	x.move(n)
	x.sets.set(&x.presence(&everyEntry).live, n, false)
}

// everyEntry is what all live entries have.
var everyEntry = Presence{Definition: layout.EveryEntry, Kind: layout.Fits}

// enter counts an entry in that was not live.
func (x *Writer) enter(n uint32) { x.sets.set(&x.presence(&everyEntry).live, n, true) }

// readPast reads a document and adds it to what stays true of it.
func (x *Writer) readPast(d *Document, fields []byte) error {
	if err := x.now.Read(x.defs, fields); err != nil {
		return err
	}
	return x.addPast(d)
}

// addPast adds the document that was read last to what stays true of it: what pins read but for its terms, and its words.
func (x *Writer) addPast(d *Document) error {
	for i := range x.now.Present {
		x.sets.set(&x.presence(&x.now.Present[i]).past, d.Number, true)
	}
	for i := range x.now.List {
		x.sets.set(&x.posting(&x.now.List[i]).past, d.Number, true)
	}
	for i := range x.now.Words {
		w := &x.now.Words[i]
		x.at = layout.AppendLocale(x.to.Generation.Words(x.at, x.to.Collection, d.Entry, d.Release, w.Definition), w.Locale)
		if err := x.to.Out.Put(x.at, w.Text, nil); err != nil {
			return err
		}
	}
	return nil
}

// addPastTerms adds the terms of a document to what pins read.
func (x *Writer) addPastTerms(of *FieldValues, number uint32) {
	for i := range of.Terms {
		x.sets.set(&x.term(&of.Terms[i]).past, number, true)
	}
}

// moveTerms is move for terms.
func (x *Writer) moveTerms(n uint32) {
	if len(x.old.Terms) > 0 && len(x.now.Terms) > 0 {
		x.old.sortTerms()
		x.now.sortTerms()
	}
	eachDifference(x.old.Terms, x.now.Terms, (*Term).compare, func(t *Term, in bool) { x.sets.set(&x.term(t).live, n, in) })
}

// move writes what differs between the former document and the present one, but for terms.
func (x *Writer) move(n uint32) {
	eachDifference(x.old.Present, x.now.Present, (*Presence).compare, func(p *Presence, in bool) { x.sets.set(&x.presence(p).live, n, in) })
	eachDifference(x.old.List, x.now.List, (*FieldValue).compare, func(f *FieldValue, in bool) { x.sets.set(&x.posting(f).live, n, in) })
}

// eachDifference calls see with what is only in the old list, and with what is only in the present one. Both are in order.
func eachDifference[T any](old, now []T, compare func(a, b *T) int, see func(one *T, in bool)) {
	for len(old) > 0 || len(now) > 0 {
		order := -1
		switch {
		case len(old) == 0:
			order = 1
		case len(now) > 0:
			order = compare(&old[0], &now[0])
		}
		switch {
		case order == 0:
			old, now = old[1:], now[1:]
		case order < 0:
			see(&old[0], false)
			old = old[1:]
		default:
			see(&now[0], true)
			now = now[1:]
		}
	}
}

// presence is the posting of who has a value.
func (x *Writer) presence(p *Presence) *posting {
	x.at = append(x.at[:0], p.Kind)
	return x.sets.of(true, p.Definition, p.Locale, x.at)
}

// posting is the posting of who has this value.
func (x *Writer) posting(f *FieldValue) *posting {
	return x.sets.of(false, f.Definition, f.Locale, f.Value)
}

// term is the posting of who has this term.
func (x *Writer) term(t *Term) *posting {
	if t.posting == nil {
		if len(t.Value) > 0 {
			t.posting = x.sets.of(false, t.Definition, t.Locale, t.Value)
		} else {
			t.posting = x.sets.ofPair(t.Definition, t.Locale, t.PairHash)
		}
	}
	return t.posting
}

// ReadOn says that what was flushed is stored, and reads on from there.
func (x *Writer) ReadOn(stored *pebble.Iterator) { x.to.Stored = stored }

// Size is about how much memory is taken by what was collected.
func (x *Writer) Size() int { return x.sets.size }

// Flush writes what was collected.
func (x *Writer) Flush() error { return x.sets.flush(&x.to) }
