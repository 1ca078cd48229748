package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/layout"
)

// postings collects what a batch changes in sets of numbers, so that each of their rows is written once.
type postings struct {
	groups map[group]*groupPostings
	last   group // that was looked up last
	among  *groupPostings
	size   int // bytes, about

	key, row, value []byte
	came, went      []uint32
}

// groupPostings are those of one group.
type groupPostings struct {
	values map[string]*posting
	pairs  []*posting // of words, by their hash; nil: none yet
}

// sorted returns them in the order of their keys, with their values.
func (g *groupPostings) sorted() (all []valuePosting) {
	for hash, one := range g.pairs {
		if one != nil {
			all = append(all, valuePosting{string(appendPairValue(nil, uint16(hash))), one})
		}
	}
	for value, one := range g.values {
		all = append(all, valuePosting{value, one})
	}
	slices.SortFunc(all, func(a, b valuePosting) int { return cmp.Compare(a.value, b.value) })
	return all
}

type valuePosting struct {
	value string
	*posting
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
type posting struct{ live, past numbers }

// numbers are those that come into a set, and those that go. Of a number that does both, that it comes in counts.
type numbers struct {
	came series
	went *series // nil: none, as in most sets
}

// series are numbers in the order in which they were added, each stored as its distance from the one before: a byte or two where
// documents follow each other.
type series struct {
	last   uint32
	stored []byte
}

// add adds a number, unless it was the last one.
func (s *series) add(n uint32) {
	if len(s.stored) > 0 && n == s.last {
		return
	}
	s.stored = binary.AppendVarint(s.stored, int64(n)-int64(s.last))
	s.last = n
}

// seriesBytes is how much memory an empty series takes.
const seriesBytes = 32

// sorted returns the numbers in ascending order, each once, in dst, which it overwrites.
func (s *series) sorted(dst []uint32) []uint32 {
	dst = dst[:0]
	n := int64(0)
	for rest := s.stored; len(rest) > 0; {
		distance, length := binary.Varint(rest)
		n += distance
		dst, rest = append(dst, uint32(n)), rest[length:]
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// postingBytes is about how much memory a posting takes, in the map included.
const postingBytes = 128

// of returns the posting of a value. It lasts until the next flush.
func (p *postings) of(presence bool, definition uint32, locale, value []byte) *posting {
	among := p.group(presence, definition, locale)
	one := among.values[string(value)]
	if one == nil {
		one = &posting{}
		among.values[string(value)] = one
		p.size += len(value) + postingBytes
	}
	return one
}

// ofPair is of for a pair of words, of which only the hash has a row.
func (p *postings) ofPair(definition uint32, locale []byte, hash uint16) *posting {
	among := p.group(false, definition, locale)
	if among.pairs == nil {
		among.pairs = make([]*posting, 1<<16)
	}
	one := among.pairs[hash]
	if one == nil {
		one = &posting{}
		among.pairs[hash] = one
		p.size += postingBytes
	}
	return one
}

func (p *postings) group(presence bool, definition uint32, locale []byte) *groupPostings {
	if p.among != nil && p.last.presence == presence && p.last.definition == definition && p.last.locale == string(locale) {
		return p.among
	}
	p.last = group{presence, definition, string(locale)}
	p.among = p.groups[p.last]
	if p.among == nil {
		if p.groups == nil {
			p.groups = map[group]*groupPostings{}
		}
		p.among = &groupPostings{values: map[string]*posting{}}
		p.groups[p.last] = p.among
	}
	return p.among
}

// set notes that a number comes into a set, or goes.
func (p *postings) set(of *numbers, n uint32, in bool) {
	to := &of.came
	if !in {
		if of.went == nil {
			of.went = &series{}
			p.size += seriesBytes
		}
		to = of.went
	}
	before := cap(to.stored)
	to.add(n)
	p.size += cap(to.stored) - before
}

// flush changes the rows that are stored, in the order of their keys, and forgets what was collected.
func (p *postings) flush(to *Target) error {
	type sorted struct {
		group
		values []valuePosting
	}
	var all []sorted
	for _, g := range slices.SortedFunc(maps.Keys(p.groups), group.compare) {
		all = append(all, sorted{g, p.groups[g].sorted()})
	}
	for _, space := range []layout.Space{layout.LiveSpace, layout.PastSpace} {
		for _, g := range all {
			p.key = to.Generation.Field(p.key, g.table(space), to.Collection, g.definition, []byte(g.locale))
			prefix := len(p.key)
			for _, one := range g.values {
				of := &one.live
				if space == layout.PastSpace {
					of = &one.past
				}
				p.key = append(p.key[:prefix], one.value...)
				if err := p.flushSet(of, to); err != nil {
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
func (p *postings) flushSet(of *numbers, to *Target) error {
	p.came, p.went = of.came.sorted(p.came), p.went[:0]
	if of.went != nil {
		p.went = of.went.sorted(p.went)
	}
	for came, went := p.came, p.went; len(came)+len(went) > 0; {
		var err error
		if came, went, err = p.flushRow(came, went, to); err != nil {
			return err
		}
	}
	return nil
}

// flushRow changes the row of the least number, and returns the numbers of other rows. Mostly it does not read the row, so that rows
// without numbers may be left: sets are looked up, and nothing reads from one to the next but what passes over those.
func (p *postings) flushRow(came, went []uint32, to *Target) (restCame, restWent []uint32, err error) {
	least := ^uint32(0)
	for _, numbers := range [][]uint32{came, went} {
		if len(numbers) > 0 {
			least = min(least, numbers[0])
		}
	}
	p.row = to.Chunks.Append(append(p.row[:0], p.key...), least)
	came, restCame = to.Chunks.Cut(came, least)
	went, restWent = to.Chunks.Cut(went, least)
	if to.replaces(p.row) {
		return restCame, restWent, p.replace(came, went, to)
	}
	if p.value, err = layout.AppendChange(p.value[:0], came, went); err != nil {
		return nil, nil, err
	}
	return restCame, restWent, to.Out.Merge(p.row, p.value)
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
