package write

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// release writes what a release put in force.
func (w *Writer) release(r *recordpb.Release) error {
	head := w.State.Head
	if r.Number <= head.Number || r.PublishedMs <= head.PublishedAt.UnixMilli() && head.Number > 0 {
		return fmt.Errorf("release %d at %d ms does not come after release %d at %d ms",
			r.Number, r.PublishedMs, head.Number, head.PublishedAt.UnixMilli())
	}
	if r.Number > layout.MaxRelease/2 || r.PublishedMs < 0 {
		return fmt.Errorf("release %d at %d ms is out of range", r.Number, r.PublishedMs)
	}
	// By collection, and in a collection in the order of its keys.
	items := slices.Clone(r.Items)
	slices.SortFunc(items, func(a, b *recordpb.Item) int {
		if c := strings.Compare(a.Collection, b.Collection); c != 0 {
			return c
		}
		return strings.Compare(b.Entry, a.Entry)
	})
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].Collection == items[0].Collection {
			n++
		}
		a, err := w.collection(items[0].Collection)
		if err != nil {
			return err
		}
		p := publication{Writer: w, a: a, release: r, first: a.next}
		if !w.loading {
			p.index = index.NewReleaseWriter(w.IndexTarget(a), a.Definitions.ByField)
			w.noteTexts(a, items[:n])
		}
		if err := p.write(items[:n]); err != nil {
			return fmt.Errorf("release %d, collection %s: %w", r.Number, a.Name, err)
		}
		items = items[n:]
	}
	return w.closeRelease(r)
}

func (w *Writer) closeRelease(r *recordpb.Release) error {
	w.value = binary.BigEndian.AppendUint64(w.value[:0], uint64(r.PublishedMs))
	w.key = w.State.Gen.LogNumber(w.key, layout.TableRelease, r.Number)
	if err := w.out.Put(w.key, w.value, nil); err != nil {
		return err
	}
	w.value = binary.BigEndian.AppendUint64(w.value[:0], r.Number)
	w.key = w.State.Gen.LogNumber(w.key, layout.TableTime, uint64(r.PublishedMs))
	if err := w.out.Put(w.key, w.value, nil); err != nil {
		return err
	}
	w.State.Head = content.Release{Number: r.Number, PublishedAt: layout.MilliTime(uint64(r.PublishedMs))}
	w.add(record.ReleaseRow(r.Number, r.PublishedMs))
	return nil
}

// publication is what a release does to one collection.
type publication struct {
	*Writer
	a       *Collection
	release *recordpb.Release
	first   uint32          // number of the first document it adds
	removed *roaring.Bitmap // nil: none
	index   *index.Writer   // nil in loads, which file everything at their end
}

func (p *publication) write(items []*recordpb.Item) error {
	for i, item := range items {
		if i > 0 && items[i-1].Entry == item.Entry {
			return fmt.Errorf("entry %s stands in it twice", item.Entry)
		}
		if err := p.item(item); err != nil {
			return fmt.Errorf("entry %s: %w", item.Entry, err)
		}
	}
	if p.a.next == p.first && p.removed == nil {
		return nil // nothing was live that it could take away
	}
	if p.index != nil {
		if err := p.index.Flush(); err != nil {
			return err
		}
	}
	return p.writeDelta()
}

// putHead brings an entry into the default order of what is live, or takes it out; a load does so at its end.
func (p *publication) putHead(e layout.EntryID, live bool) error {
	if p.loading {
		return nil
	}
	rank, err := p.rank(p.a, e)
	if err != nil {
		return err
	}
	p.key = p.State.Gen.Head(p.key, p.a.Number, rank, e)
	if !live {
		return p.out.Drop(p.key)
	}
	return p.out.Put(p.key, nil, nil)
}
