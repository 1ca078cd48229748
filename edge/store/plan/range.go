package plan

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// keptSet is from how many rows on the set of a range is kept for other requests.
const keptSet = 256

// tryRanges puts ranges together that are not long, and leaves the others. One over the field that orders the list is left
// too: a scan begins and ends where it does.
func (x *execution) tryRanges() error {
	if x.matched != nil && x.count <= fewMatches {
		return nil // their documents are looked at
	}
	window := x.window()
	for i := 0; i < len(x.ranges) && (x.matched == nil || x.count > 0); {
		in := &x.ranges[i]
		if in == window {
			i++
			continue
		}
		x.left, x.spent = x.engine.costs.Budget(rangeSteps), false
		set, err := x.rangeSet(in)
		switch {
		case err != nil:
			return err
		case x.spent:
			i++
		default:
			x.ranges = slices.Delete(x.ranges, i, i+1)
			window = x.window()
			if err := x.takeSet(set); err != nil {
				return err
			}
		}
	}
	x.spent = false
	return nil
}

// takeRanges puts together what is left, however long that takes.
func (x *execution) takeRanges() error {
	if err := x.takeSlot(); err != nil {
		return err
	}
	for i := range x.ranges {
		x.left, x.spent = maxSteps, false
		set, err := x.rangeSet(&x.ranges[i])
		if err == nil && x.spent {
			err = x.stopped()
		}
		if err == nil {
			err = x.takeSet(set)
		}
		if err != nil {
			return err
		}
	}
	x.ranges = nil
	return nil
}

// rangeSet returns everything in an interval, from what another request kept where there is such.
func (x *execution) rangeSet(in *interval) (*roaring.Bitmap, error) {
	key := x.rangeKey(in)
	if kept, ok := x.engine.sets.Get(key); ok {
		return kept, nil
	}
	rows := 0
	set, err := x.unionOfSources(in.field, x.collection.definition(in.field), func(dst *roaring.Bitmap, s *source) error {
		return x.readRange(dst, in, s, &rows)
	})
	if err == nil && !x.spent && rows >= x.engine.costs.KeptSet {
		x.engine.sets.Put(key, set)
	}
	return set, err
}

// rangeKey names what an interval matches after the release that touched the collection last.
func (x *execution) rangeKey(in *interval) string {
	b := []byte(snapshot.SetKey(x.r.Generation, x.c, x.last.Release))
	b = append(b, byte(x.space.Postings))
	b = binary.BigEndian.AppendUint32(b, x.collection.definition(in.field).Number)
	for _, s := range x.sources(in.field) {
		b = append(append(b, s.locale...), 0)
	}
	for _, c := range in.conditions {
		b = append(b, byte(c.Op))
		b = append(binary.AppendUvarint(b, uint64(len(c.Keys[0]))), c.Keys[0]...)
	}
	return string(b)
}

// readRange adds what an interval holds of one source.
func (x *execution) readRange(dst *roaring.Bitmap, in *interval, s *source, rows *int) error {
	it, err := x.r.Iterator(snapshot.Postings)
	if err != nil {
		return err
	}
	prefix := x.r.Generation.Field(nil, x.space.Postings, x.c, x.collection.definition(in.field).Number, s.locale)
	lower, upper := in.bounds(prefix)
	var few denseSet // numbers that come one by one, in no order: quicker than into roaring
	for ok := it.SeekGE(lower); ok && bytes.Compare(it.Key(), upper) < 0; ok = it.Next() {
		if !x.step(1) {
			return x.stopped()
		}
		*rows++
		key := it.Key()
		if len(key) < len(prefix)+2+layout.ChunkLen {
			return layout.Damaged("posting")
		}
		stored, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if v := key[len(prefix) : len(key)-layout.ChunkLen]; in.settles && layout.IsLong(v) {
			inside, err := x.settle(in, s, stored)
			if err != nil {
				return err
			}
			if !inside {
				continue
			}
		}
		if numbers, ok := layout.FewNumbers(stored); ok {
			few.add(numbers)
		} else if err := layout.AddNumbers(dst, stored); err != nil {
			return err
		}
	}
	var rest roaring.Bitmap
	rest.FromDense(few, false)
	dst.Or(&rest)
	return it.Error()
}

// settle decides by the document of one of those that have a long value.
func (x *execution) settle(in *interval, s *source, stored []byte) (bool, error) {
	var set roaring.Bitmap
	if err := layout.AddNumbers(&set, stored); err != nil || set.IsEmpty() {
		return false, err
	}
	_, d, err := x.r.DocumentOf(x.past, x.c, set.Minimum())
	if err != nil {
		return false, err
	}
	key, err := x.collection.definition(in.field).ValueIn(d.Fields, s.locale)
	return err == nil && in.holds(key), err
}
