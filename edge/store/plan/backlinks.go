package plan

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/column"
	"svc/edge/store/index"
	"svc/edge/store/layout"
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
	var sets []*roaring.Bitmap
	for _, f := range q.Frame.Schema.Fields {
		name := index.TargetsOf(f)
		if name.Class != index.ClassTargets {
			continue
		}
		of := c.Definitions[name]
		if of == nil {
			return false, nil
		}
		set, err := x.posting(of, nil, target[:])
		if err != nil {
			return false, err
		}
		sets = append(sets, set)
	}
	x.matched = union(sets)
	if err := x.countMatches(); err != nil || x.count == 0 {
		return true, err
	}
	if err := x.chooseMembers(); err != nil {
		return true, err
	}
	by, err := x.newest()
	if err != nil {
		return true, err
	}
	x.limit = q.Limit
	x.begin()
	return true, x.inOrder(sequence{by: by, order: column.Newest, within: column.Everything}, func(document uint32) (bool, error) {
		_, e := x.documents.Entry(document)
		d, live, err := x.document(&layout.Position{Entry: e})
		if err == nil && !live {
			err = layout.Damaged("index: an entry of it has no document")
		}
		if err == nil { // the index has values that the frame does not show, such as those of former locales
			live, err = q.Frame.References(d.Fields, to)
		}
		return err != nil || live && !see(e, &d), err
	})
}
