package column

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// Source is where values come from: a locale, or what stands outside of any.
type Source struct {
	Locale []byte
	Hidden *roaring.Bitmap // documents whose value comes from another source; nil: none
}

// loading reads the values of all documents from the index of a field.
type loading struct {
	v       *Values
	read    ReadKey
	sources []rows
	steps   int
}

// rows are those of one source, in the order of values.
type rows struct {
	it     *pebble.Iterator
	prefix []byte
	hidden *roaring.Bitmap
}

// group is the documents that have one value.
type group struct {
	value     []byte // as the index has it
	key       []byte // whole, where it was read
	documents []uint32
}

// load reads the ranks of all documents that a reader has.
func load(ctx context.Context, r *snapshot.Reader, f Field, documents *Documents, count uint32, sources []Source, every int, read ReadKey) (*Values, error) {
	v := &Values{Documents: documents, every: every, ranks: slices.Repeat([]uint32{missing}, int(count))}
	v.sorted = make([]uint32, 0, len(v.ranks))
	l := loading{v: v, read: read}
	for i, s := range sources {
		it, err := r.Iterator(snapshot.Values + snapshot.Role(i))
		if err != nil {
			return nil, err
		}
		prefix := r.Generation.Field(nil, layout.TablePastPosting, f.Collection, f.Definition, s.Locale)
		it.SeekGE(prefix)
		l.sources = append(l.sources, rows{it, prefix, s.Hidden})
	}
	for {
		more, err := l.next(ctx)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	l.end()
	return v, nil
}

// end takes in the documents that have no value.
func (l *loading) end() {
	v := l.v
	v.valued = len(v.sorted)
	for document, rank := range v.ranks {
		if rank == missing {
			v.sorted = append(v.sorted, uint32(document))
		}
	}
	slices.SortFunc(v.sorted[v.valued:], v.Documents.compare)
}

// next takes in the documents with the least value that is left, or those whose long values begin alike; false where none is left.
func (l *loading) next(ctx context.Context) (bool, error) {
	var start []byte
	for i := range l.sources {
		if v, ok := l.sources[i].value(); ok && (start == nil || bytes.Compare(v, start) < 0) {
			start = v
		}
	}
	if start == nil {
		for i := range l.sources {
			if err := l.sources[i].it.Error(); err != nil {
				return false, err
			}
		}
		return false, nil
	}
	if l.steps++; l.steps&0xfff == 0 && ctx.Err() != nil {
		return false, ctx.Err()
	}
	long := layout.IsLong(start)
	if long {
		start = start[:len(start)-layout.ValueHash]
	}
	start = bytes.Clone(start)
	var groups []group
	for i := range l.sources {
		var err error
		if groups, err = l.sources[i].take(groups, start); err != nil {
			return false, err
		}
	}
	if long {
		for i := range groups {
			key, has, err := l.read(groups[i].documents[0])
			if err != nil {
				return false, err
			}
			if !has {
				return false, layout.Damaged("index: an entry does not have the value it is indexed under")
			}
			groups[i].key = bytes.Clone(key)
		}
		slices.SortFunc(groups, func(a, b group) int { return bytes.Compare(a.key, b.key) })
	}
	for i := range groups {
		if err := l.add(&groups[i]); err != nil {
			return false, err
		}
	}
	return true, nil
}

// value is that of the row at which a source stands.
func (s *rows) value() ([]byte, bool) {
	if !s.it.Valid() {
		return nil, false
	}
	key := s.it.Key()
	if len(key) < len(s.prefix)+2+layout.ChunkLen || !bytes.HasPrefix(key, s.prefix) {
		return nil, false
	}
	return key[len(s.prefix) : len(key)-layout.ChunkLen], true
}

// take adds the documents of all rows whose values begin with start, and goes beyond them.
func (s *rows) take(groups []group, start []byte) ([]group, error) {
	for {
		v, ok := s.value()
		if !ok || !bytes.HasPrefix(v, start) {
			return groups, s.it.Error()
		}
		at := slices.IndexFunc(groups, func(g group) bool { return bytes.Equal(g.value, v) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{value: bytes.Clone(v)})
		}
		stored, err := s.it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		if groups[at].documents, err = appendNumbers(groups[at].documents, stored, s.hidden); err != nil {
			return nil, err
		}
		if len(groups[at].documents) == 0 {
			groups = groups[:at]
		}
		s.it.Next()
	}
}

// appendNumbers adds the numbers of a row but those that are hidden.
func appendNumbers(dst []uint32, stored []byte, hidden *roaring.Bitmap) ([]uint32, error) {
	add := func(n uint32) {
		if hidden == nil || !hidden.Contains(n) {
			dst = append(dst, n)
		}
	}
	if few, ok := layout.FewNumbers(stored); ok {
		for ; len(few) > 0; few = few[4:] {
			add(binary.BigEndian.Uint32(few))
		}
		return dst, nil
	}
	var many roaring.Bitmap
	if err := layout.AddNumbers(&many, stored); err != nil {
		return nil, err
	}
	for n := range roaring.Values(&many) {
		add(n)
	}
	return dst, nil
}

// add takes in the documents that have one value.
func (l *loading) add(g *group) error {
	v := l.v
	slices.SortFunc(g.documents, v.Documents.compare)
	rank := uint32(2*len(v.sorted) + 1)
	for _, document := range g.documents {
		if int(document) >= len(v.ranks) || v.ranks[document] != missing {
			return layout.Damaged("index: a number in it belongs to nothing")
		}
		v.ranks[document] = rank
		if len(v.sorted)%v.every == 0 {
			if g.key == nil {
				key, ok := layout.ReadValue(nil, g.value)
				if !ok {
					return layout.Damaged("posting")
				}
				g.key = key
			}
			v.keys = append(v.keys, g.key)
		}
		v.sorted = append(v.sorted, document)
	}
	return nil
}
