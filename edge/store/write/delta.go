package write

import (
	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// Between two full sets there are at least minDeltas deltas, and at most maxDeltas: reading a set costs little next to
// a page, and writing full ones little next to the deltas.
const (
	minDeltas = 64
	maxDeltas = 512
)

// writeDelta writes what the release did to the live set, and the whole set where it is time.
func (p *publication) writeDelta() error {
	a := p.a
	d := layout.LiveDelta{First: p.first, Added: a.next - p.first, Live: a.live, Ever: a.ever}
	if p.removed != nil {
		p.removed.RunOptimize()
		var err error
		if d.Removed, err = p.removed.ToBytes(); err != nil {
			return err
		}
	}
	if a.set != nil {
		advance(a.set, d.First, d.Added, p.removed)
	}
	d.Since = a.since + 1
	d.SinceBytes = a.sinceBytes + 32 + uint32(len(d.Removed))
	if full := a.dueFull(&d); full {
		if err := p.writeFull(&d); err != nil {
			return err
		}
		d.Since, d.SinceBytes = 0, 0
	}
	a.since, a.sinceBytes, a.touched = d.Since, d.SinceBytes, p.release.Number
	p.value = d.Append(p.value[:0])
	p.key = p.State.Gen.CollectionRelease(p.key, layout.TableLiveDelta, a.Number, p.release.Number)
	return p.out.Put(p.key, p.value, nil)
}

// dueFull compares the deltas since the last full set against about what a full one takes.
func (a *Collection) dueFull(d *layout.LiveDelta) bool {
	size := min(2*d.Live, a.next/8) + 64
	return d.Since >= maxDeltas || d.Since >= minDeltas && d.SinceBytes >= size/4
}

func (p *publication) writeFull(d *layout.LiveDelta) error {
	set := p.a.set
	if set == nil {
		var err error
		if set, err = snapshot.ReadLiveSet(p.it, p.State.Gen, p.a.Number, p.a.touched); err != nil {
			return err
		}
		advance(set, d.First, d.Added, p.removed)
	}
	set.RunOptimize()
	value, err := set.ToBytes()
	if err != nil {
		return err
	}
	p.key = p.State.Gen.CollectionRelease(p.key, layout.TableLiveSet, p.a.Number, p.release.Number)
	return p.out.Put(p.key, value, nil)
}

func advance(set *roaring.Bitmap, first, added uint32, removed *roaring.Bitmap) {
	if added > 0 {
		set.AddRange(uint64(first), uint64(first)+uint64(added))
	}
	if removed != nil {
		set.AndNot(removed)
	}
}
