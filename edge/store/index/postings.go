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
	chunks layout.Chunking
	byKey  map[string]*posting
	size   int // bytes, about
	value  []byte
}

// posting is what comes into one row and what goes out of it. Of a number that does both, that it comes in counts.
type posting struct {
	came, went []uint32
}

// set puts a number into the set of a key, or takes it out. The key still lacks its chunk.
func (p *postings) set(key []byte, n uint32, in bool) {
	key = p.chunks.Append(key, n)
	one := p.byKey[string(key)]
	if one == nil {
		one = &posting{}
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
		change := p.replace
		if one := p.byKey[key]; len(one.went) == 0 && !to.replaces(key) {
			change = p.unite
		}
		if err := change([]byte(key), p.byKey[key], to); err != nil {
			return err
		}
	}
	clear(p.byKey)
	p.size = 0
	return to.Stored.Error()
}

// unite adds numbers to a row without reading it.
func (p *postings) unite(key []byte, by *posting, to *Target) error {
	var err error
	if p.value, err = layout.AppendNumbers(p.value[:0], roaring.BitmapOf(by.came...)); err != nil {
		return err
	}
	return to.Out.Unite(key, p.value)
}

// replace writes a row whole. One that has no numbers any more goes.
func (p *postings) replace(key []byte, by *posting, to *Target) error {
	set := roaring.New()
	if to.Stored.SeekGE(key) && bytes.Equal(to.Stored.Key(), key) {
		value, err := to.Stored.ValueAndErr()
		if err != nil {
			return err
		}
		if err := layout.AddNumbers(set, value); err != nil {
			return err
		}
	}
	for _, n := range by.went {
		set.Remove(n)
	}
	set.AddMany(by.came)
	if set.IsEmpty() {
		return to.Out.Drop(key)
	}
	var err error
	if p.value, err = layout.AppendNumbers(p.value[:0], set); err != nil {
		return err
	}
	return to.Out.Put(key, p.value, nil)
}
