package plan

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/column"
	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/fault"
)

// byField fills the page of a list that a field orders.
func (x *execution) byField() error {
	s, err := x.sequence()
	if err != nil {
		return err
	}
	return x.inOrder(s, func(document uint32) (bool, error) {
		_, e := x.documents.Entry(document)
		return x.add(&layout.Position{Entry: e})
	})
}

const (
	walkTolerance  = 4       // a walk may take so many times the steps that it should
	walkAnyway     = 256     // and these
	walkDocument   = 256     // steps take as long as a look into a document
	expensiveCount = 1 << 17 // candidates from which on it is expensive to look at all
)

// sequence is an order of documents, and what of it a list wants.
type sequence struct {
	by     *column.Values
	order  column.Order
	within column.Interval
	behind *column.Place
}

// sequence is that of a list that a field orders.
func (x *execution) sequence() (s sequence, err error) {
	s.within = column.Everything
	if x.q.Order.Descending {
		s.order = column.Descending
	}
	if window := x.window(x.q.Order.Field); window != nil {
		s.by, s.within = window.of, window.within
	} else if s.by, err = x.columnOf(x.q.Order.Field); err != nil {
		return s, err
	}
	if x.q.After == nil {
		return s, nil
	}
	e, ok := content.Bytes(x.q.After.Entry)
	if !ok {
		return s, fault.Invalid("cursor", "is not a position in this list")
	}
	s.behind = &column.Place{Rank: column.Missing, Entry: e}
	if !x.q.After.Missing {
		s.behind.Rank, err = x.rankOf(s.by, x.q.Order.Field, []byte(x.q.After.Value))
	}
	return s, err
}

// inOrder visits the matches in an order, until visit is done. It goes along the order as long as that promises to be the shorter way, and
// else looks at everything that may match and picks what comes first.
func (x *execution) inOrder(s sequence, visit func(document uint32) (done bool, err error)) error {
	if x.looksInside() {
		if err := x.takeSlot(); err != nil {
			return err
		}
	}
	all := x.candidates(&s)
	way, expected := x.engine.costs.Way, x.expectedSteps(&s)
	if x.looksInside() && expected <= (x.limit+1)*walkDocument {
		expected = math.MaxInt32 // who knows how many it takes, but the documents cost more than the walk between them
	}
	if way == AlwaysWalk || way == ByCost && (expected <= all.count || expected == math.MaxInt32) {
		if done, err := x.walk(&s, expected, visit); err != nil || done {
			return err
		}
	}
	return x.collect(&s, all, visit)
}

// expectedSteps is how far along an order the page should be full.
func (x *execution) expectedSteps(s *sequence) int {
	span, share := float64(s.by.Len(column.Everything)+1), float64(x.count+1)
	for i := range x.ranges {
		if in := &x.ranges[i]; in.of != s.by {
			share *= float64(in.of.Len(in.within)+1) / span
		}
	}
	return int(min(float64(x.limit+1)*span/share, float64(s.by.Len(s.within))))
}

// walk goes along an order; done is false where it took too many steps, and s goes on behind the last match.
func (x *execution) walk(s *sequence, expected int, visit func(uint32) (bool, error)) (done bool, err error) {
	left := x.engine.costs.Budget(walkTolerance*expected + walkAnyway)
	walk := s.by.Walk(s.order, s.within, s.behind)
	for {
		document, ok := walk.Next()
		if !ok {
			return true, nil
		}
		if x.isMatch(document, s.by) {
			if done, err := visit(document); err != nil || done {
				return true, err
			}
			s.behind = s.by.Place(document)
		}
		if left--; left <= 0 && x.engine.costs.Way != AlwaysWalk {
			return false, nil
		}
		if x.isOver() {
			return true, x.ctx.Err()
		}
	}
}

// collect picks the first matches of all candidates, more each time visit wants more.
func (x *execution) collect(s *sequence, all candidates, visit func(uint32) (bool, error)) error {
	if all.count > expensiveCount {
		if err := x.takeSlot(); err != nil {
			return err
		}
	}
	for window := x.limit + 1; ; window *= 4 {
		top := column.Top{V: s.by, Order: s.order, Behind: s.behind, Limit: window}
		all.each(top.Offer)
		if err := x.ctx.Err(); err != nil {
			return err
		}
		for _, document := range top.First {
			if done, err := visit(document); err != nil || done {
				return err
			}
		}
		if !top.More {
			return nil
		}
		s.behind = s.by.Place(top.First[len(top.First)-1])
	}
}

// candidates are some documents among which all that match are.
type candidates struct {
	count int
	each  func(see func(document uint32)) // calls see with those that match, as long as the list has time
}

// candidates returns the fewest there are.
func (x *execution) candidates(s *sequence) candidates {
	best := candidates{int(x.last.Ever), x.eachEntry}
	if x.members.set != nil {
		best = candidates{x.count, x.eachMember}
	}
	narrow := func(of *column.Values, within column.Interval) {
		if n := of.Len(within); n < best.count {
			best = candidates{n, func(see func(uint32)) {
				for document := range of.Each(within) {
					if x.isMatch(document, of) {
						see(document)
					}
					if x.isOver() {
						return
					}
				}
			}}
		}
	}
	narrow(s.by, s.within)
	for i := range x.ranges {
		narrow(x.ranges[i].of, x.ranges[i].within)
	}
	return best
}

// eachEntry goes through the entries that had been by the release that is read, mostly the newest first.
func (x *execution) eachEntry(see func(document uint32)) {
	for n := x.last.Ever; n > 0; n-- {
		if document, ok := x.documents.Of(n-1, x.until); ok && x.inRanges(document, nil) {
			see(document)
		}
		if x.isOver() {
			return
		}
	}
}

// eachMember goes through the members, mostly the newest first: in the default order these are what is wanted.
func (x *execution) eachMember(see func(document uint32)) {
	for n := range roaring.Backward(x.members.all()) {
		if document, ok := x.documentOf(n); ok && x.inRanges(document, nil) {
			see(document)
		}
		if x.isOver() {
			return
		}
	}
}

// isOver counts a step, and tells once in a while whether the time of the list is over.
func (x *execution) isOver() bool {
	x.steps++
	return x.steps&0xfff == 0 && x.ctx.Err() != nil
}

// documentOf is the document that a number in a set stands for.
func (x *execution) documentOf(n uint32) (uint32, bool) {
	if x.past {
		return n, true
	}
	return x.documents.Of(n, x.until)
}

// isMatch decides whether a document is of the release that is read and matches everything that is told without it. Its value is known to
// be in the interval of one column. Ranks may be of more documents than there are in the moment that is read.
func (x *execution) isMatch(document uint32, known *column.Values) bool {
	return document < x.ever && x.inRanges(document, known) && x.isMember(document)
}

// inRanges reports whether the values of a document are in all intervals but that of a column that is known.
func (x *execution) inRanges(document uint32, known *column.Values) bool {
	for i := range x.ranges {
		if in := &x.ranges[i]; in.of != known && !in.within.Holds(in.of.Rank(document)) {
			return false
		}
	}
	return true
}

// isMember reports whether a document is of the release that is read, and of a member.
func (x *execution) isMember(document uint32) bool {
	if x.past && x.members.set != nil {
		return x.members.has(document)
	}
	entry, _ := x.documents.Entry(document)
	n := entry
	if x.past {
		n = document
	}
	if !x.members.has(n) {
		return false
	}
	now, ok := x.documents.Of(entry, x.until)
	return ok && now == document
}

// members is the set of those who may be in a list; nil: all. Where live is set, it is what both have.
type members struct {
	set     *roaring.Bitmap
	live    *roaring.Bitmap
	dense   []uint64
	probes  int
	numbers int // in set, about
}

// manyProbes is from how many looks into a set on it is written out; a large one from as many more as it takes longer.
const (
	manyProbes   = 128
	probeNumbers = 32
)

// all returns the members, of which there must be a set.
func (m *members) all() *roaring.Bitmap {
	if m.live != nil {
		m.set, m.live = roaring.And(m.set, m.live), nil
	}
	return m.set
}

func (m *members) has(n uint32) bool {
	if m.set == nil {
		return true
	}
	if m.dense == nil {
		if m.probes++; m.probes < manyProbes+m.numbers/probeNumbers {
			return m.set.Contains(n) && (m.live == nil || m.live.Contains(n))
		}
		m.dense = m.all().ToDense()
	}
	return int(n/64) < len(m.dense) && m.dense[n/64]&(1<<(n%64)) != 0
}
