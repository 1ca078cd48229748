package plan

import (
	"bytes"
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/content"
	"svc/shared/read"
)

// Backlinks calls see with the entries of a collection that refer to another one at the pin of q, newest first, until it returns
// false. It is false where an index that it takes is not built. The document is valid during the call.
func (e *Engine) Backlinks(ctx context.Context, m Moment, c *Collection, q *read.ListQuery, to content.EntryID, see func(layout.EntryID, *layout.Document) bool) (indexed bool, err error) {
	x := e.execution(ctx, m, c, q)
	defer x.free()
	target, ok := content.Bytes(to)
	if err := x.choose(); err != nil || !ok || x.last.Live == 0 {
		return true, err
	}
	x.matched = roaring.New()
	for _, f := range q.Frame.Schema.Fields {
		name := index.TargetsOf(f)
		if name.Class != index.ClassTargets {
			continue
		}
		of := c.Definitions[name]
		if of == nil {
			return false, nil
		}
		if err := x.readPosting(x.matched, of, nil, target[:]); err != nil {
			return false, err
		}
	}
	if err := x.countMatches(); err != nil || x.count == 0 {
		return true, err
	}
	return true, x.newestMatches(func(e layout.EntryID) (bool, error) {
		d, live, err := x.r.Document(x.c, e, x.release())
		if err == nil && !live {
			err = layout.Damaged("index: an entry of it has no document")
		}
		if err == nil { // the index has values that the frame does not show, such as those of former locales
			live, err = q.Frame.References(d.Fields, to)
		}
		return err == nil && (!live || see(e, &d)), err
	})
}

// newestMatches visits the matches, the newest first, until visit returns false.
func (x *execution) newestMatches(visit func(layout.EntryID) (more bool, err error)) error {
	if x.count > expensiveSort {
		return x.scanNewest(visit)
	}
	var entries []layout.EntryID
	err := x.eachMatch(func(n uint32) (bool, error) {
		e, _, err := x.r.EntryOf(x.past, x.c, n)
		entries = append(entries, e)
		return true, err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b layout.EntryID) int { return bytes.Compare(b[:], a[:]) })
	for _, e := range entries {
		if more, err := visit(e); err != nil || !more {
			return err
		}
	}
	return nil
}

// scanNewest goes through all entries that ever were, the newest first, and visits those that match.
func (x *execution) scanNewest(visit func(layout.EntryID) (bool, error)) error {
	return x.r.EachEntry(x.ctx, x.c, func(e layout.EntryID, n uint32) (bool, error) {
		if x.past {
			now, _, err := x.r.State(snapshot.Numbers, x.c, e, x.last.Release)
			if err != nil || !now.Live {
				return err == nil, err
			}
			n = now.Document
		}
		if !x.matched.Contains(n) {
			return true, nil
		}
		return visit(e)
	})
}
