package plan

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// orderRow is where an entry stands in the order of a field.
type orderRow struct {
	key    []byte // of its value, whole
	entry  layout.EntryID
	number uint32
}

// compare orders rows: equal values by entry, whichever the direction.
func (a *orderRow) compare(b *orderRow, descending bool) int {
	n := bytes.Compare(a.key, b.key)
	if descending {
		n = -n
	}
	if n == 0 {
		n = bytes.Compare(a.entry[:], b.entry[:])
	}
	return n
}

// topRows are rows that do not lie in their order in the index: the first ones of those behind a place, in order.
type topRows struct {
	rows       []orderRow
	next       int
	limit      int
	descending bool
	behind     *orderRow // nil: from the beginning
	cut        bool      // there are more than these
}

func (g *topRows) begin(behind *orderRow) {
	g.rows, g.next, g.cut, g.behind = g.rows[:0], 0, false, behind
}

// offer takes a row if it is one of the first. The row's key is not kept.
func (g *topRows) offer(row orderRow) {
	if g.behind != nil && row.compare(g.behind, g.descending) <= 0 {
		return
	}
	at := len(g.rows)
	if at == g.limit {
		g.cut = true
		if row.compare(&g.rows[at-1], g.descending) >= 0 {
			return
		}
		g.rows = g.rows[:at-1]
	}
	at, _ = slices.BinarySearchFunc(g.rows, row, func(have, row orderRow) int { return have.compare(&row, g.descending) })
	if at < len(g.rows) && bytes.Equal(g.rows[at].key, row.key) {
		row.key = g.rows[at].key
	} else {
		row.key = bytes.Clone(row.key)
	}
	g.rows = slices.Insert(g.rows, at, row)
}

// take returns the next row; nil where they are used up.
func (g *topRows) take() *orderRow {
	if g.next == len(g.rows) {
		return nil
	}
	g.next++
	return &g.rows[g.next-1]
}

// last is the row that was taken last, to go on behind it where the group was cut.
func (g *topRows) last() *orderRow {
	row := g.rows[len(g.rows)-1]
	row.key = bytes.Clone(row.key)
	return &row
}

// stream gives the rows of one source in order.
type stream interface {
	// next returns the row that follows; nil at the end, or where the execution's steps are used up. It is valid until the next
	// call.
	next() (*orderRow, error)
}

// fieldScan is one source of values of the ordering field, which both kinds of streams scan.
type fieldScan struct {
	x          *execution
	in         *roaring.Bitmap // who belongs to the list; nil: all
	dense      denseSet        // the same, once it was asked for; nil: it was not
	role       snapshot.Role
	source     source
	of         *index.Definition
	prefix     []byte
	from, to   []byte // bounds of keys
	window     *interval
	descending bool
	after      *orderRow // nil: from the front
}

// inside decides for a long value whether a bound leaves it.
func (l *fieldScan) inside(key []byte) bool {
	return l.window == nil || !l.window.settles || l.window.holds(key)
}

func (l *fieldScan) has(n uint32) bool {
	if l.in == nil {
		return true
	}
	if l.dense == nil {
		l.dense = l.in.ToDense()
	}
	return l.dense.has(n)
}

// holds decides for any value whether the range of the field leaves it.
func (l *fieldScan) holds(key []byte) bool { return l.window == nil || l.window.holds(key) }

// denseSet has a bit for each number: the quickest to look into, and to add to in no order.
type denseSet []uint64

func (d *denseSet) add(numbers []byte) {
	for ; len(numbers) > 0; numbers = numbers[4:] {
		n := binary.BigEndian.Uint32(numbers)
		if word := int(n / 64); word >= len(*d) {
			*d = append(*d, make([]uint64, word+1024-len(*d))...)
		}
		(*d)[n/64] |= 1 << (n % 64)
	}
}

func (d denseSet) has(n uint32) bool { return int(n/64) < len(d) && d[n/64]&(1<<(n%64)) != 0 }
