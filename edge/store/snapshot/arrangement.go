package snapshot

import (
	"bytes"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
)

// Arrangement is what of a collection has a rank and was ever published, in the order of the ranks.
type Arrangement struct {
	Entries []Arranged
	numbers *roaring.Bitmap
}

// Arranged is one entry: its place, and its number in the collection.
type Arranged struct {
	layout.Position
	Number uint32
}

// Has reports whether an entry of a number is in it.
func (a *Arrangement) Has(number uint32) bool { return a.numbers.Contains(number) }

// Behind returns the entries behind a place; nil stands for the front.
func (a *Arrangement) Behind(p *layout.Position) []Arranged {
	if p == nil {
		return a.Entries
	}
	i, found := slices.BinarySearchFunc(a.Entries, p, func(e Arranged, p *layout.Position) int { return e.Compare(p) })
	if found {
		i++
	}
	return a.Entries[i:]
}

// Arrangement returns that of a collection; nil where more entries have a rank than are worth being remembered.
func (c *Changes) Arrangement(r *Reader, collection uint32, most int) (*Arrangement, error) {
	if a, known := c.arranged.Get(collection); known {
		return a, nil
	}
	a, err := r.arrangement(collection, most)
	if err == nil {
		c.arranged.Put(collection, a)
	}
	return a, err
}

func (r *Reader) arrangement(c uint32, most int) (*Arrangement, error) {
	a := &Arrangement{numbers: roaring.New()}
	err := r.EachRanked(c, nil, func(e Arranged) (more bool, err error) {
		a.Entries = append(a.Entries, e)
		a.numbers.Add(e.Number)
		return len(a.Entries) <= most, nil
	})
	if err != nil || len(a.Entries) > most {
		return nil, err
	}
	return a, nil
}

// EachRanked calls see with what of a collection has a rank and was ever published, in the order of the ranks, behind a place or from the
// front if that is nil, until there is no more to be seen. It takes the role Primary.
func (r *Reader) EachRanked(c uint32, behind *layout.Position, see func(e Arranged) (more bool, err error)) error {
	it, err := r.Iterator(Primary)
	if err != nil {
		return err
	}
	start := r.Generation.Collection(nil, layout.TableRanked, c)
	from := start
	if behind != nil {
		from = layout.Successor(r.Generation.Ranked(nil, c, behind.Rank, behind.Entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		p, err := layout.RankedPosition(it.Key()[len(start):])
		if err != nil {
			return err
		}
		n, published, err := r.FindNumber(c, p.Entry)
		if err != nil {
			return err
		}
		if !published {
			continue
		}
		if more, err := see(Arranged{p, n}); err != nil || !more {
			return err
		}
	}
	return it.Error()
}
