package index

import (
	"bytes"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
)

// postings collects what a batch changes in sets of numbers, so that each of their rows is written once.
type postings struct {
	byKey map[string]*posting
	size  int // bytes, about
	row   []byte
	value []byte
}

// posting is what comes into one set and what goes out of it. Of a number that does both, that it comes in counts.
type posting struct {
	came, went []uint32
	loose      bool
}

// set puts a number into the set of a key, or takes it out. The key still lacks its chunk. Numbers are taken out of a loose set
// without reading its rows, so that rows without numbers may be left: it is looked up, and nothing reads from one to the next.
func (p *postings) set(key []byte, n uint32, in, loose bool) {
	one := p.byKey[string(key)]
	if one == nil {
		one = &posting{loose: loose}
		if p.byKey == nil {
			p.byKey = map[string]*posting{}
		}
		p.byKey[string(key)] = one
		p.size += len(key) + 128
	}
	p.size += 4
	if in {
		one.came = append(one.came, n)
	} else {
		one.went = append(one.went, n)
	}
}

// flush changes the rows that are stored, in the order of their keys, and forgets what was collected.
func (p *postings) flush(to *Target) error {
	for _, key := range slices.Sorted(maps.Keys(p.byKey)) {
		one := p.byKey[key]
		slices.Sort(one.came)
		slices.Sort(one.went)
		for len(one.came)+len(one.went) > 0 {
			if err := p.flushRow([]byte(key), one, to); err != nil {
				return err
			}
		}
	}
	clear(p.byKey)
	p.size = 0
	return to.Stored.Error()
}

// flushRow changes the row of the least number that is left.
func (p *postings) flushRow(key []byte, of *posting, to *Target) error {
	least := ^uint32(0)
	for _, numbers := range [][]uint32{of.came, of.went} {
		if len(numbers) > 0 {
			least = min(least, numbers[0])
		}
	}
	p.row = to.Chunks.Append(append(p.row[:0], key...), least)
	var came, went []uint32
	came, of.came = to.Chunks.Cut(of.came, least)
	went, of.went = to.Chunks.Cut(of.went, least)
	if len(went) > 0 && !of.loose || to.replaces(p.row) {
		return p.replace(came, went, to)
	}
	var err error
	if p.value, err = layout.AppendChange(p.value[:0], came, went); err != nil {
		return err
	}
	return to.Out.Merge(p.row, p.value)
}

// replace writes a row whole. One that has no numbers any more goes.
func (p *postings) replace(came, went []uint32, to *Target) error {
	set := roaring.New()
	if to.Stored.SeekGE(p.row) && bytes.Equal(to.Stored.Key(), p.row) {
		value, err := to.Stored.ValueAndErr()
		if err != nil {
			return err
		}
		if err := layout.AddNumbers(set, value); err != nil {
			return err
		}
	}
	for _, n := range went {
		set.Remove(n)
	}
	set.AddMany(came)
	if set.IsEmpty() {
		return to.Out.Drop(p.row)
	}
	var err error
	if p.value, err = layout.AppendNumbers(p.value[:0], set); err != nil {
		return err
	}
	return to.Out.Put(p.row, p.value, nil)
}
