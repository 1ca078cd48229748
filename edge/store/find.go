package store

import (
	"context"

	"svc/edge/store/bitmap"
	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/schema"
	"svc/shared/value"
)

// execution makes a page of a list that filters or orders. It takes the sets of what the filters match, in exact numbers, and
// then either walks the order and tests what it meets, or looks at every match, whichever is less. A filter by range may
// match so many values that their sets are not worth putting together: then what it meets is tested by its document, until
// that gets too much.
type execution struct {
	*listing
	ctx        context.Context
	q          *read.ListQuery
	t          lastChange
	past       bool // it is the documents of a pin that are found, not what is live now
	space      layout.Space
	chunks     bitmap.Chunking
	chunkCount int // chunks that the numbers of entries or documents have

	ranges  []interval  // conditions that are not in matched yet
	matched *bitmap.Set // what all other conditions match; nil: they match everything
	count   int         // how many that are; an upper bound while ranges are left

	scanned *read.Page // what was made without l.page

	left    int  // steps until another way is taken
	spent   bool // they are used up
	heavy   bool // holds a place in s.scans
	key     []byte
	sourced [maxSources]source
}

// find makes a page of a list that filters or orders.
func (l *listing) find(ctx context.Context, q *read.ListQuery) (read.Page, error) {
	l.begin()
	if !l.indexed(q) {
		return l.scan(ctx, q)
	}
	f := execution{listing: l, ctx: ctx, q: q, chunks: l.s.cfg.tune.chunks}
	err := f.fill()
	if f.heavy {
		<-l.s.scans
	}
	switch {
	case err != nil:
		return read.Page{}, err
	case f.scanned != nil:
		return *f.scanned, nil
	}
	return l.page.end(), nil
}

// indexed reports whether everything that a query looks at is built at this moment.
func (l *listing) indexed(q *read.ListQuery) bool {
	for i := range q.Conditions.All() {
		if l.place.definition(q.Conditions.All()[i].Field) == nil {
			return false
		}
	}
	return q.Order.IsDefault() || l.place.definition(q.Order.Field) != nil
}

// definition returns what a field is filed under, nil where that is not built.
func (c *collection) definition(f *schema.Field) *index.Definition {
	return c.defs[index.Name{Field: f.Key, Class: value.ClassOf(f)}]
}

func (f *execution) fill() error {
	if err := f.choose(); err != nil || f.t.live == 0 {
		return err
	}
	if err := f.match(); err != nil || f.count == 0 {
		return err
	}
	for f.takesWalk() {
		done, err := f.walk(false)
		if err != nil || done {
			return err
		}
		f.begin()
		if len(f.ranges) == 0 {
			break
		}
		if err := f.takeRanges(); err != nil || f.count == 0 {
			return err
		}
	}
	if way := f.s.cfg.tune.ways; way == waysGather || way == waysByCost && f.gatherCost() <= f.wholeWalk() {
		return f.gather()
	}
	if err := f.beHeavy(); err != nil {
		return err
	}
	_, err := f.walk(true)
	return err
}

// choose settles whether the page comes from what is live now or from what a pin had.
func (f *execution) choose() error {
	t, err := f.touched()
	if err != nil {
		return err
	}
	f.t, f.past = t, t.later
	n := t.ever
	f.space = layout.LiveSpace
	if f.past {
		n, f.space = t.documents, layout.PastSpace
	}
	f.chunkCount = f.chunks.Count(n)
	f.count = int(t.live)
	return nil
}

// touched is what touched the collection last by then. What is remembered of pins may have come after this view was made.
func (f *execution) touched() (lastChange, error) {
	if pin := f.q.Pin; pin != 0 && pin < f.meta.head.Number {
		return f.pinTouch(f.c, pin)
	}
	return f.headTouch(f.c)
}

// beHeavy waits for a place among the requests that may take long, and keeps it until the page is made.
func (f *execution) beHeavy() error {
	if f.heavy {
		return nil
	}
	select {
	case f.s.scans <- struct{}{}:
		f.heavy = true
		return nil
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
}

// step counts a step, and reports whether it may be taken.
func (f *execution) step() bool {
	if f.left <= 0 {
		f.spent = true
		return false
	}
	f.left--
	return f.left&0xfff != 0 || f.ctx.Err() == nil
}

// stopped is the error of a walk that step ended.
func (f *execution) stopped() error { return f.ctx.Err() }

// afterRow is the row behind which a list goes on that a field orders; nil: it begins at the front.
func (f *execution) afterRow() (*orderRow, error) {
	key := f.q.After
	if key == nil {
		return nil, nil
	}
	e, ok := content.Bytes(key.Entry)
	if !ok {
		return nil, fault.Invalid("cursor", "is not a position in this list")
	}
	return &orderRow{key: []byte(key.Value), entry: e}, nil
}

// isRange reports whether an operator matches all values to one side of another.
func isRange(o query.Op) bool {
	return o == query.OpGreater || o == query.OpGreaterOrEqual || o == query.OpLess || o == query.OpLessOrEqual
}
