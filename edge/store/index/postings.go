package index

import (
	"bytes"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

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
func (p *postings) flush(stored *pebble.Iterator, out layout.Sink) error {
	for _, key := range slices.Sorted(maps.Keys(p.byKey)) {
		if err := p.change([]byte(key), p.byKey[key], stored, out); err != nil {
			return err
		}
	}
	clear(p.byKey)
	p.size = 0
	return stored.Error()
}

func (p *postings) change(key []byte, by *posting, stored *pebble.Iterator, out layout.Sink) error {
	set := roaring.New()
	if stored.SeekGE(key) && bytes.Equal(stored.Key(), key) {
		value, err := stored.ValueAndErr()
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
		return out.Drop(key)
	}
	var err error
	if p.value, err = layout.AppendNumbers(p.value[:0], set); err != nil {
		return err
	}
	return out.Put(key, p.value, nil)
}
