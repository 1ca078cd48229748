package plan

import (
	"context"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/go-json-experiment/json/jsontext"

	"svc/edge/store/column"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/read"
	"svc/shared/schema"
)

// execution runs one list. It intersects the filters' sets, and then goes along the order of the list or picks its first rows from all that
// may match (inOrder).
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

	changed   uint64              // the newest release that changed the collection
	last      snapshot.LastChange // of it by the release that is read
	past      bool                // it is the documents of a pin that are found, not what is live now
	space     layout.Space
	ever      uint32            // documents that there are by now
	until     uint32            // documents that there were by the release that is read
	documents *column.Documents // those there are, and maybe more

	ranges  []interval      // what conditions leave of the values of fields
	tested  bool            // not all that match have what is searched for: documents are looked at
	worded  bool            // all that match have a word that is searched for
	phrases []phrase        // that not all of them have in the order of their words
	matched *roaring.Bitmap // what all other conditions match; nil: they match everything. It may be shared
	members members         // those of matched, or else what is live
	unsure  bool            // some of them may not be live
	count   int             // how many these are

	sorted *read.Page // what was made without the page

	steps     int  // so far, of some kinds
	expensive bool // it holds a slot
	key       []byte
	setKey    []byte
	sourced   [maxSources]source
	read      [1]*schema.Field // scratch of keyIn
	values    [1]jsontext.Value
	value     [64]byte
}

// executions keeps the memory of lists for the next ones.
var executions = sync.Pool{New: func() any { return &execution{} }}

// free gives up the slot that the list may hold, and its memory.
func (x *execution) free() {
	if x.expensive {
		<-x.engine.slots
	}
	*x = execution{key: x.key[:0], setKey: x.setKey[:0], phrases: x.phrases[:0]}
	executions.Put(x)
}

// run fills the page.
func (x *execution) run() error {
	if pin := x.q.Pin; x.q.IsPlain() && (pin == 0 || pin >= x.moment.Head) {
		return x.plainHead()
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
	if err := x.chooseMembers(); err != nil {
		return err
	}
	if x.q.Order.IsDefault() {
		return x.byDefault()
	}
	return x.byField()
}

// begin empties the page.
func (x *execution) begin() {
	x.page.Begin(x.r)
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
func (x *execution) choose() error {
	now, err := x.moment.Changes.Last(x.r, x.c, x.moment.Head)
	if err != nil {
		return err
	}
	x.changed, x.last, x.ever, x.until = now.Release, now, now.Documents, now.Documents
	if x.q.Pin != 0 && x.q.Pin < x.moment.Head {
		if x.last, err = x.moment.Changes.Last(x.r, x.c, x.q.Pin); err != nil {
			return err
		}
	}
	x.space = layout.LiveSpace
	if x.past = x.last.Later; x.past {
		x.space, x.until = layout.PastSpace, x.last.Documents
	}
	x.count = int(x.last.Live)
	if x.count > 0 {
		x.documents, err = x.engine.columns.Documents(x.ctx, x.r, x.c, x.ever)
	}
	return err
}

// fewRevisions is how many documents each entry has on average, up to which that of a pin is found from the newest one back.
const fewRevisions = 64

// chooseMembers settles who may be in the list. Where all entries that ever were are live now, none needs to be asked for that; where most
// were live at a pin, their documents tell.
func (x *execution) chooseMembers() (err error) {
	switch {
	case x.matched != nil:
		x.members.set = x.matched
	case x.past && x.last.Live > x.last.Ever/2 && x.ever/fewRevisions <= x.last.Ever:
		x.unsure = x.last.Live < x.last.Ever
	case x.past || x.last.Live < x.last.Ever:
		x.members.set, err = x.live()
	}
	x.members.numbers = x.count
	return err
}

// isCertain reports whether all that match without a look at their documents are in the list.
func (x *execution) isCertain() bool { return !x.looksInside() && !x.unsure }

// looksInside reports whether what documents hold decides.
func (x *execution) looksInside() bool { return len(x.phrases) > 0 || x.tested }

// holds decides by a document.
func (x *execution) holds(e layout.EntryID, d *layout.Document) (bool, error) {
	switch {
	case x.tested:
		return x.q.Match(d.Fields)
	case x.worded: // its phrases were looked for already
		return true, nil
	}
	return x.holdsPhrases(e, d.Release)
}

// add takes an entry that matches into the page, if its document is in the list too; full where the page takes no more.
func (x *execution) add(p *layout.Position) (full bool, err error) {
	if x.page.More = x.isCertain() && x.full(); x.page.More {
		return true, nil
	}
	if x.worded && !x.tested { // the words that are found then are those of the document, which need not be read to be left out
		if in, err := x.holdsPhrases(p.Entry, x.release()); err != nil || !in {
			return false, err
		}
	}
	d, live, err := x.document(p)
	if err != nil {
		return false, err
	}
	if !live {
		if !x.unsure {
			err = layout.Damaged("index: an entry of it has no document")
		}
		return false, err
	}
	if in, err := x.holds(p.Entry, &d); err != nil || !in {
		return false, err
	}
	if x.page.More = x.full(); x.page.More {
		return true, nil
	}
	if x.q.Order.IsDefault() {
		x.page.Add(p, &d)
		return false, nil
	}
	key, has, err := x.keyIn(x.q.Order.Field, d.Fields)
	if err == nil {
		x.page.AddKeyed(p.Entry, !has, key, &d)
	}
	return false, err
}

// document reads that of an entry.
func (x *execution) document(p *layout.Position) (layout.Document, bool, error) {
	return x.r.Document(x.c, p.Entry, x.release())
}

// release is the one whose documents are found.
func (x *execution) release() uint64 {
	if x.past {
		return x.q.Pin
	}
	return layout.MaxRelease
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
