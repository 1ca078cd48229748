package index

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
)

// postings collects what a batch changes in sets of numbers, so that each of their rows is written once.
type postings struct {
	groups map[group]map[string]*posting // by value
	last   group                         // that was looked up last
	among  map[string]*posting           // and what it has
	size   int                           // bytes, about

	key, row, value []byte
}

// group is what values belong to: a definition and a locale, the values themselves or who has any.
type group struct {
	presence   bool
	definition uint32
	locale     string
}

func (g group) compare(h group) int {
	if g.presence != h.presence {
		if h.presence {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(g.definition, h.definition), cmp.Compare(g.locale, h.locale))
}

// table is where the sets of the group are in a space.
func (g group) table(in layout.Space) layout.Table {
	if g.presence {
		return in.Presence
	}
	return in.Postings
}

// posting is what changes in the two sets of one value.
type posting struct {
	live, past numbers
	// Numbers are taken out of a loose set without reading its rows, so that rows without numbers may be left: it is looked up, and
	// nothing reads from one to the next.
	loose bool
}

// numbers are those that come into a set, and those that go. Of a number that does both, that it comes in counts.
type numbers struct{ came, went []uint32 }

// of returns the posting of a value. It lasts until the next flush.
func (p *postings) of(presence bool, definition uint32, locale, value []byte, loose bool) *posting {
	if p.among == nil || p.last.presence != presence || p.last.definition != definition || p.last.locale != string(locale) {
		p.last = group{presence, definition, string(locale)}
		p.among = p.groups[p.last]
		if p.among == nil {
			if p.groups == nil {
				p.groups = map[group]map[string]*posting{}
			}
			p.among = map[string]*posting{}
			p.groups[p.last] = p.among
		}
	}
	one := p.among[string(value)]
	if one == nil {
		one = &posting{loose: loose}
		p.among[string(value)] = one
		p.size += len(value) + 192
	}
	return one
}

// set notes that a number comes into a set, or goes.
func (p *postings) set(of *numbers, n uint32, in bool) {
	p.size += 4
	if in {
		of.came = append(of.came, n)
	} else {
		of.went = append(of.went, n)
	}
}

// flush changes the rows that are stored, in the order of their keys, and forgets what was collected.
func (p *postings) flush(to *Target) error {
	type sorted struct {
		group
		values []string
	}
	var all []sorted
	for _, g := range slices.SortedFunc(maps.Keys(p.groups), group.compare) {
		all = append(all, sorted{g, slices.Sorted(maps.Keys(p.groups[g]))})
	}
	for _, space := range []layout.Space{layout.LiveSpace, layout.PastSpace} {
		for _, g := range all {
			p.key = to.Generation.Field(p.key, g.table(space), to.Collection, g.definition, []byte(g.locale))
			prefix := len(p.key)
			for _, value := range g.values {
				one := p.groups[g.group][value]
				of := &one.live
				if space == layout.PastSpace {
					of = &one.past
				}
				p.key = append(p.key[:prefix], value...)
				if err := p.flushSet(of, one.loose, to); err != nil {
					return err
				}
			}
		}
	}
	clear(p.groups)
	p.among, p.size = nil, 0
	return to.Stored.Error()
}

// flushSet changes the rows of the set whose key is p.key.
func (p *postings) flushSet(of *numbers, loose bool, to *Target) error {
	slices.Sort(of.came)
	slices.Sort(of.went)
	for len(of.came)+len(of.went) > 0 {
		if err := p.flushRow(of, loose, to); err != nil {
			return err
		}
	}
	return nil
}

// flushRow changes the row of the least number that is left.
func (p *postings) flushRow(of *numbers, loose bool, to *Target) error {
	least := ^uint32(0)
	for _, numbers := range [][]uint32{of.came, of.went} {
		if len(numbers) > 0 {
			least = min(least, numbers[0])
		}
	}
	p.row = to.Chunks.Append(append(p.row[:0], p.key...), least)
	var came, went []uint32
	came, of.came = to.Chunks.Cut(of.came, least)
	went, of.went = to.Chunks.Cut(of.went, least)
	if len(went) > 0 && !loose || to.replaces(p.row) {
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
