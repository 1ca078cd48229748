package plan

import (
	"bytes"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/schema"
)

// source is where a reader's value of a field may come from: the map's value in a locale, or what stands outside of any map.
// Locale fallback is not stored: a read in a locale takes that, and of those that have no value in it the default locale.
type source struct {
	locale   []byte
	fallback bool // counts only where the first source has nothing, fitting or not
}

const maxSources = 3

// sources returns where values of a field come from in the locale of the query. No document has both a map and a value outside
// of one, and none counts twice.
func (x *execution) sources(field *schema.Field) []source {
	s := x.sourced[:0]
	if frame := x.q.Frame; field.Localized && len(frame.Locales) > 0 {
		if x.q.Locale != "" && x.q.Locale != frame.DefaultLocale {
			s = append(s, source{locale: []byte(x.q.Locale)})
		}
		s = append(s, source{locale: []byte(frame.DefaultLocale), fallback: len(s) > 0})
	}
	return append(s, source{})
}

// unionOfSources puts together what read finds in each source, leaving out what another source hides.
func (x *execution) unionOfSources(field *schema.Field, of *index.Definition, read func(s *source) (*roaring.Bitmap, error)) (*roaring.Bitmap, error) {
	sources := x.sources(field)
	if len(sources) == 1 {
		return read(&sources[0])
	}
	var sets []*roaring.Bitmap
	for i := range sources {
		s := &sources[i]
		set, err := read(s)
		if err != nil {
			return nil, err
		}
		if s.fallback && !set.IsEmpty() {
			hidden, err := x.hiding(x.space, of, sources)
			if err != nil {
				return nil, err
			}
			set = roaring.AndNot(set, hidden)
		}
		sets = append(sets, set)
	}
	return union(sets), nil
}

// union returns what is in any of some sets. It is one of them where the others are empty.
func union(sets []*roaring.Bitmap) *roaring.Bitmap {
	sets = slices.DeleteFunc(sets, (*roaring.Bitmap).IsEmpty)
	if len(sets) == 1 {
		return sets[0]
	}
	return roaring.FastOr(sets...)
}

// hiding returns who has a value in the first source, whether it fits or not.
func (x *execution) hiding(in layout.Space, of *index.Definition, sources []source) (*roaring.Bitmap, error) {
	fits, err := x.presence(in, of, sources[0].locale, layout.Fits)
	if err != nil {
		return nil, err
	}
	unfit, err := x.presence(in, of, sources[0].locale, layout.Unfit)
	if err != nil {
		return nil, err
	}
	return roaring.Or(fits, unfit), nil
}

// sourcesText tells apart where values come from.
func sourcesText(sources []source) string {
	var b []byte
	for _, s := range sources {
		b = append(append(b, s.locale...), 0)
	}
	return string(b)
}

// The sets that follow are shared with other requests: none of them is ever changed.

// presence returns who has a value in a locale.
func (x *execution) presence(in layout.Space, of *index.Definition, locale []byte, kind byte) (*roaring.Bitmap, error) {
	x.key = append(x.r.Generation.Field(x.key, in.Presence, x.c, of.Number, locale), kind)
	return x.set(x.changed)
}

// posting returns who has one value in a locale.
func (x *execution) posting(of *index.Definition, locale, key []byte) (*roaring.Bitmap, error) {
	x.key = layout.AppendValue(x.r.Generation.Field(x.key, x.space.Postings, x.c, of.Number, locale), key)
	return x.set(x.changed)
}

// set reads the set whose rows begin with x.key, as a release left it.
func (x *execution) set(release uint64) (*roaring.Bitmap, error) {
	x.setKey = append(snapshot.AppendSetKey(x.setKey[:0], x.r.Generation, x.c, release), x.key...)
	if kept, ok := x.engine.sets.Get(x.setKey); ok {
		return kept, nil
	}
	set := roaring.New()
	it, err := x.r.Iterator(snapshot.Postings)
	if err != nil {
		return nil, err
	}
	for ok := it.SeekGE(x.key); ok && len(it.Key()) == len(x.key)+layout.ChunkLen && bytes.HasPrefix(it.Key(), x.key); ok = it.Next() {
		stored, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		if err := layout.AddNumbers(set, stored); err != nil {
			return nil, err
		}
	}
	if err := it.Error(); err != nil {
		return nil, err
	}
	x.engine.sets.Put(x.setKey, set)
	return set, nil
}
