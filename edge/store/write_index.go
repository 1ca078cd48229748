package store

import (
	"bytes"
	"cmp"
	"svc/edge/store/layout"
)

// indexer files documents for filters and orders. It is one for each collection and batch; end writes what it collected.
type indexer struct {
	*writer
	a        *account
	defs     map[string][]*definition
	old, now facts
	live     postings
	past     postings
	passed   bool     // some of past was written already, so that sets in it are not written anew
	went     [][]byte // rows of TableOrdered
	came     []orderedRow
	bytes    int // of both, about
	at       []byte
}

type orderedRow struct {
	key []byte
	n   uint32
}

func (w *writer) indexer(a *account) *indexer {
	return &indexer{writer: w, a: a, defs: a.defs.byField, live: postings{chunks: w.s.cfg.tune.chunks}, past: postings{chunks: w.s.cfg.tune.chunks}}
}

// published files a document that takes the place of another of the same entry, where the entry was live.
func (x *indexer) published(e layout.EntryID, n, d uint32, wasLive bool, fields []byte) error {
	if err := x.now.read(x.defs, fields); err != nil {
		return err
	}
	if err := x.filePast(d); err != nil {
		return err
	}
	if wasLive {
		if err := x.readFormer(e); err != nil {
			return err
		}
		x.move(e, n)
		return nil
	}
	x.enter(e, n)
	for i := range x.now.list {
		x.put(&x.now.list[i], e, n, true)
	}
	return nil
}

// gone takes an entry out that was live until now.
func (x *indexer) gone(e layout.EntryID, n uint32) error {
	if err := x.readFormer(e); err != nil {
		return err
	}
	x.now.list = x.now.list[:0]
	x.move(e, n)
	every := fact{definition: layout.EveryEntry, value: noValue}
	x.live.stroke(x.presenceKey(layout.LiveSpace, &every), n, false)
	x.dropOrdered(&every, e)
	return nil
}

// readFormer reads what was filed of an entry until now.
func (x *indexer) readFormer(e layout.EntryID) error {
	if r, ok := x.a.recent[e]; ok {
		return x.readRecent(e, r.release)
	}
	it := cmp.Or(x.documents, x.it)
	x.at = x.led.Gen.EntryAt(x.at, layout.TableDocument, x.a.number, e, layout.MaxRelease)
	if !it.SeekGE(x.at) || !bytes.HasPrefix(it.Key(), x.at[:layout.EntryPrefixLen]) {
		if err := it.Error(); err != nil {
			return err
		}
		return layout.Damaged("entry: it has no document")
	}
	former, live, err := layout.DocumentIn(it)
	if err == nil && !live {
		err = layout.Damaged("entry: its document is empty")
	}
	if err != nil {
		return err
	}
	return x.old.read(x.defs, former.Fields)
}

// noValue is what EveryEntry orders by.
var noValue = layout.AppendValue(nil, nil)

// enter counts an entry in that was not live.
func (x *indexer) enter(e layout.EntryID, n uint32) {
	every := fact{definition: layout.EveryEntry, value: noValue}
	x.live.stroke(x.presenceKey(layout.LiveSpace, &every), n, true)
	x.putOrdered(&every, e, n)
}

// filePast adds a document to what pins read. Where that gets much in one batch, what there is of it is written.
func (x *indexer) filePast(d uint32) error {
	for i := range x.now.list {
		f := &x.now.list[i]
		x.past.stroke(x.presenceKey(layout.PastSpace, f), d, true)
		if f.value != nil {
			x.past.stroke(x.postingKey(layout.PastSpace, f), d, true)
		}
	}
	if x.loading || x.past.size < x.s.cfg.tune.pastBytes {
		return nil
	}
	x.passed = true
	return x.past.flush(x.out.merge)
}

// move writes what differs between the former document and the present one. Both tell what they have in the same order.
func (x *indexer) move(e layout.EntryID, n uint32) {
	old, now := x.old.list, x.now.list
	for len(old) > 0 || len(now) > 0 {
		order := -1 // only the former has it
		switch {
		case len(old) == 0:
			order = 1
		case len(now) > 0:
			order = old[0].compare(&now[0])
		}
		kept := order == 0 && old[0].presence() == now[0].presence()
		if kept && bytes.Equal(old[0].value, now[0].value) {
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

// put files what an entry has, and its presence where that is new.
func (x *indexer) put(f *fact, e layout.EntryID, n uint32, presence bool) {
	if presence {
		x.live.stroke(x.presenceKey(layout.LiveSpace, f), n, true)
	}
	if f.value != nil {
		x.live.stroke(x.postingKey(layout.LiveSpace, f), n, true)
		x.putOrdered(f, e, n)
	}
}

func (x *indexer) drop(f *fact, e layout.EntryID, n uint32, presence bool) {
	if presence {
		x.live.stroke(x.presenceKey(layout.LiveSpace, f), n, false)
	}
	if f.value != nil {
		x.live.stroke(x.postingKey(layout.LiveSpace, f), n, false)
		x.dropOrdered(f, e)
	}
}

// presenceKey is the key of who has a value, without its chunk.
func (x *indexer) presenceKey(in layout.Space, f *fact) []byte {
	x.at = append(x.led.Gen.Field(x.at, in.Presence, x.a.number, f.definition, f.locale), f.presence())
	return x.at
}

// postingKey is the key of who has this value, without its chunk.
func (x *indexer) postingKey(in layout.Space, f *fact) []byte {
	x.at = append(x.led.Gen.Field(x.at, in.Postings, x.a.number, f.definition, f.locale), f.value...)
	return x.at
}

func (x *indexer) ordered(dst []byte, f *fact, e layout.EntryID) []byte {
	dst = x.led.Gen.Field(dst, layout.TableOrdered, x.a.number, f.definition, f.locale)
	return append(append(dst, f.value...), e[:]...)
}

func (x *indexer) putOrdered(f *fact, e layout.EntryID, n uint32) {
	row := orderedRow{key: x.ordered(nil, f, e), n: n}
	x.came = append(x.came, row)
	x.bytes += len(row.key) + 64
}

// size is about how much memory is taken by what was collected.
func (x *indexer) size() int { return x.bytes + x.live.size + x.past.size }

func (x *indexer) dropOrdered(f *fact, e layout.EntryID) {
	x.went = append(x.went, x.ordered(nil, f, e))
}

// end writes what was collected. It deletes first: see headChanges.write.
func (x *indexer) end() error {
	if err := x.dropHeads(x.went); err != nil {
		return err
	}
	for i := range x.came {
		if err := x.putNumber(x.came[i].key, x.came[i].n); err != nil {
			return err
		}
	}
	x.went, x.came, x.bytes = x.went[:0], x.came[:0], 0
	write := func(key, operand []byte) error { return x.mergeSet(x.a, key, operand) }
	if err := x.live.flush(write); err != nil {
		return err
	}
	if x.passed {
		write = x.out.merge
	}
	return x.past.flush(write)
}
