package store

import (
	"bytes"
	"encoding/binary"
	"slices"

	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
)

const (
	rangeSteps = 2048    // rows of a range that are put together at once
	fewMatches = 64      // so few are rather read
	keptRange  = 256     // from how many rows on a range is kept for other requests
	maxSteps   = 1 << 62 // as many as it takes
)

// tryRanges puts ranges together that are not long, and leaves the others. One over the field that orders the list is left
// too: a walk begins and ends where it does.
func (f *execution) tryRanges() error {
	if f.matched != nil && f.count <= fewMatches {
		return nil // their documents are looked at
	}
	window := f.window()
	for i := 0; i < len(f.ranges) && (f.matched == nil || f.count > 0); {
		in := &f.ranges[i]
		if in == window {
			i++
			continue
		}
		f.left, f.spent = f.s.cfg.tune.steps(rangeSteps), false
		set, err := f.rangeSet(in)
		switch {
		case err != nil:
			return err
		case f.spent:
			i++
		default:
			f.ranges = slices.Delete(f.ranges, i, i+1)
			window = f.window()
			if err := f.takeSet(&set); err != nil {
				return err
			}
		}
	}
	f.spent = false
	return nil
}

// takeRanges puts together what is left, however long that takes.
func (f *execution) takeRanges() error {
	if err := f.beHeavy(); err != nil {
		return err
	}
	for i := range f.ranges {
		f.left, f.spent = maxSteps, false
		set, err := f.rangeSet(&f.ranges[i])
		if err == nil && f.spent {
			err = f.stopped()
		}
		if err == nil {
			err = f.takeSet(&set)
		}
		if err != nil {
			return err
		}
	}
	f.ranges = nil
	return nil
}

// rangeSet returns everything in an interval, from what another request kept where there is such.
func (f *execution) rangeSet(in *interval) (bitmap.Set, error) {
	key := f.rangeKey(in)
	if kept, ok := f.s.sets.get(key); ok {
		set := f.newNumbers()
		set.AddRoaring(kept)
		return set, nil
	}
	rows := 0
	set, err := f.gatherSources(in.field, nil, func(dst, _ *bitmap.Set, s *source) error {
		return f.readRange(dst, in, s, &rows)
	})
	if err == nil && !f.spent && rows >= f.s.cfg.tune.keptRange {
		f.s.sets.put(key, set.Roaring())
	}
	return set, err
}

// rangeKey names what an interval matches after the release that touched the collection last.
func (f *execution) rangeKey(in *interval) string {
	b := []byte(setKey(f.meta.gen, f.c, f.t.release))
	b = append(b, byte(f.space.Postings))
	b = binary.BigEndian.AppendUint32(b, f.number(in.field))
	for _, s := range f.sources(in.field) {
		b = append(append(b, s.locale...), 0)
	}
	for _, c := range in.conditions {
		b = append(b, byte(c.Op))
		b = append(binary.AppendUvarint(b, uint64(len(c.Keys[0]))), c.Keys[0]...)
	}
	return string(b)
}

// readRange adds what an interval holds of one source.
func (f *execution) readRange(dst *bitmap.Set, in *interval, s *source, rows *int) error {
	it, err := f.r.iterator(sets)
	if err != nil {
		return err
	}
	prefix := f.meta.gen.Field(nil, f.space.Postings, f.c, f.number(in.field), s.locale)
	lower, upper := in.bounds(prefix)
	for ok := it.SeekGE(lower); ok && bytes.Compare(it.Key(), upper) < 0; ok = it.Next() {
		if !f.step() {
			return f.stopped()
		}
		*rows++
		key := it.Key()
		if len(key) < len(prefix)+4 {
			return layout.Damaged("posting")
		}
		chunk := layout.ChunkIn(key)
		if chunk >= f.chunkCount {
			continue
		}
		stored, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if v := key[len(prefix) : len(key)-2]; in.settles && layout.IsLong(v) {
			inside, err := f.settle(in, s, chunk, stored)
			if err != nil {
				return err
			}
			if !inside {
				continue
			}
		}
		if err := dst.At(chunk).AddStored(stored); err != nil {
			return err
		}
	}
	return it.Error()
}

// settle decides by the document of one of those that have a long value.
func (f *execution) settle(in *interval, s *source, chunk int, stored []byte) (bool, error) {
	var b bitmap.Block
	if err := b.AddStored(stored); err != nil {
		return false, err
	}
	n, ok := b.Next(0)
	if !ok {
		return false, nil
	}
	_, d, err := f.documentOf(f.chunks.Join(chunk, n))
	if err != nil {
		return false, err
	}
	key, err := f.place.definition(in.field).ValueIn(d.Fields, s.locale)
	return err == nil && in.holds(key), err
}
