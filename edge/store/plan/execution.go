package plan

import (
	"context"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/read"
)

// execution runs one list. It intersects the filters' sets, whose counts are exact, then either scans the order and probes the
// result, or fetches and sorts all matches, whichever costs fewer steps. A filter by range may match so many values that their
// sets are not worth putting together: then documents are tested instead, until that gets too much.
type execution struct {
	engine     *Engine
	ctx        context.Context
	moment     Moment
	r          *snapshot.Reader
	collection *Collection
	c          uint32 // its number
	q          *read.ListQuery

	after *layout.Position // where a list in the default order goes on; nil: at the front
	limit int              // rows
	most  int              // bytes of fields, from which the page is full
	page  snapshot.Page

	last  snapshot.LastChange // of the collection
	past  bool                // it is the documents of a pin that are found, not what is live now
	space layout.Space

	ranges  []interval      // conditions that are not in matched yet
	tested  bool            // not all of matched have what is searched for: documents are looked at
	phrases []phrase        // that not all of matched have in the order of their words
	matched *roaring.Bitmap // what all other conditions match; nil: they match everything
	count   int             // how many that are; an upper bound unless isCertain

	sorted *read.Page // what was made without the page

	left      int  // steps until another way is taken
	taken     int  // steps so far
	spent     bool // none is left
	expensive bool // it holds a slot
	key       []byte
	sourced   [maxSources]source
}

// executions keeps the memory of lists for the next ones.
var executions = sync.Pool{New: func() any { return &execution{} }}

// free gives up the slot that the list may hold, and its memory.
func (x *execution) free() {
	if x.expensive {
		<-x.engine.slots
	}
	*x = execution{key: x.key[:0], phrases: x.phrases[:0]}
	executions.Put(x)
}

// run fills the page.
func (x *execution) run() error {
	if pin := x.q.Pin; x.q.IsPlain() && (pin == 0 || pin >= x.moment.Head) {
		// The most frequent list of all needs no plan, and so no statistics, which every release makes stale.
		x.left = maxSteps
		return x.scanHead()
	}
	if !x.indexed() {
		return x.sortUnindexed()
	}
	if err := x.choose(); err != nil || x.last.Live == 0 {
		return err
	}
	if err := x.match(); err != nil || x.count == 0 {
		return err
	}
	for x.prefersScan() {
		done, err := x.scan(false)
		if err != nil || done {
			return err
		}
		x.begin()
		if len(x.ranges) == 0 {
			break
		}
		if err := x.takeRanges(); err != nil || x.count == 0 {
			return err
		}
	}
	if way := x.engine.costs.Way; way == AlwaysSort || way == ByCost && x.sortCost() <= x.wholeScan() {
		return x.sortMatches()
	}
	if err := x.takeSlot(); err != nil {
		return err
	}
	_, err := x.scan(true)
	return err
}

// begin empties the page.
func (x *execution) begin() {
	x.page.Begin(x.r)
	x.r.BeginList(&x.collection.clustered)
}

// full reports whether the page takes no more rows.
func (x *execution) full() bool { return x.page.Count() == x.limit || x.page.Bytes >= x.most }

// indexed reports whether every index that the list needs is built.
func (x *execution) indexed() bool {
	conditions := x.q.Conditions.All()
	for i := range conditions {
		if x.collection.definition(conditions[i].Field) == nil {
			return false
		}
	}
	return x.searchIndexed() && (x.q.Order.IsDefault() || x.collection.definition(x.q.Order.Field) != nil)
}

// choose settles whether the page comes from what is live now or from what a pin had.
func (x *execution) choose() (err error) {
	release := x.moment.Head
	if x.q.Pin != 0 {
		release = min(release, x.q.Pin)
	}
	if x.last, err = x.moment.Changes.Last(x.r, x.c, release); err != nil {
		return err
	}
	x.space = layout.LiveSpace
	if x.past = x.last.Later; x.past {
		x.space = layout.PastSpace
	}
	x.count = int(x.last.Live)
	return nil
}

// isCertain reports whether all that the sets match is in the list.
func (x *execution) isCertain() bool { return len(x.ranges) == 0 && len(x.phrases) == 0 && !x.tested }

// holds decides by a document that the sets match.
func (x *execution) holds(e layout.EntryID, d *layout.Document) (bool, error) {
	if x.tested {
		return x.q.Match(d.Fields)
	}
	if held, err := x.holdsPhrases(e, d.Release); err != nil || !held || len(x.ranges) == 0 {
		return held, err
	}
	return x.q.Conditions.Match(d.Fields)
}

// takeSlot waits for a slot of those for expensive lists, which the list keeps until its page is made.
func (x *execution) takeSlot() error {
	if x.expensive {
		return nil
	}
	select {
	case x.engine.slots <- struct{}{}:
		x.expensive = true
		return nil
	case <-x.ctx.Done():
		return x.ctx.Err()
	}
}

// step takes one or more steps, and reports whether it may. Where it may not, stopped is the error.
func (x *execution) step(n int) bool {
	if x.left <= 0 {
		x.spent = true
		return false
	}
	x.left -= n
	x.taken++
	return x.taken&0xff != 0 || x.ctx.Err() == nil
}

// stopped is the error of a scan that step ended; nil where its steps are used up.
func (x *execution) stopped() error { return x.ctx.Err() }

// release is the one whose documents are read.
func (x *execution) release() uint64 {
	if x.past {
		return x.last.Release
	}
	return layout.MaxRelease
}
