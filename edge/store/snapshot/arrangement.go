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
	it, err := r.Iterator(Primary)
	if err != nil {
		return nil, err
	}
	a := &Arrangement{numbers: roaring.New()}
	start := r.Generation.Collection(nil, layout.TableRanked, c)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if most--; most < 0 {
			return nil, nil
		}
		p, err := layout.RankedPosition(it.Key()[len(start):])
		if err != nil {
			return nil, err
		}
		n, published, err := r.FindNumber(c, p.Entry)
		if err != nil {
			return nil, err
		}
		if published {
			a.Entries = append(a.Entries, Arranged{p, n})
			a.numbers.Add(n)
		}
	}
	return a, it.Error()
}
