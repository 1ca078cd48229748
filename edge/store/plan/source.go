package plan

import (
	"bytes"

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
func (x *execution) unionOfSources(field *schema.Field, of *index.Definition, read func(dst *roaring.Bitmap, s *source) error) (*roaring.Bitmap, error) {
	all := roaring.New()
	sources := x.sources(field)
	for i := range sources {
		s := &sources[i]
		if !s.fallback {
			if err := read(all, s); err != nil {
				return nil, err
			}
			continue
		}
		rest := roaring.New()
		if err := read(rest, s); err != nil {
			return nil, err
		}
		if rest.IsEmpty() {
			continue
		}
		hidden, err := x.hiding(x.space, of, sources)
		if err != nil {
			return nil, err
		}
		rest.AndNot(hidden)
		all.Or(rest)
	}
	return all, nil
}

// hiding returns who has a value in the first source, whether it fits or not.
func (x *execution) hiding(in layout.Space, of *index.Definition, sources []source) (*roaring.Bitmap, error) {
	hidden := roaring.New()
	err := x.readPresence(hidden, in, of, sources[0].locale, layout.Fits)
	if err == nil {
		err = x.readPresence(hidden, in, of, sources[0].locale, layout.Unfit)
	}
	return hidden, err
}

// sourcesText tells apart where values come from.
func sourcesText(sources []source) string {
	var b []byte
	for _, s := range sources {
		b = append(append(b, s.locale...), 0)
	}
	return string(b)
}

// readPresence adds who has a value in a locale.
func (x *execution) readPresence(dst *roaring.Bitmap, in layout.Space, of *index.Definition, locale []byte, kind byte) error {
	x.key = append(x.r.Generation.Field(x.key, in.Presence, x.c, of.Number, locale), kind)
	return x.readSet(dst)
}

// readPosting adds who has one value in a locale.
func (x *execution) readPosting(dst *roaring.Bitmap, of *index.Definition, locale, key []byte) error {
	x.key = layout.AppendValue(x.r.Generation.Field(x.key, x.space.Postings, x.c, of.Number, locale), key)
	return x.readSet(dst)
}

// readSet adds the set whose rows begin with x.key.
func (x *execution) readSet(dst *roaring.Bitmap) error {
	it, err := x.r.Iterator(snapshot.Postings)
	if err != nil {
		return err
	}
	for ok := it.SeekGE(x.key); ok && len(it.Key()) == len(x.key)+layout.ChunkLen && bytes.HasPrefix(it.Key(), x.key); ok = it.Next() {
		stored, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := layout.AddNumbers(dst, stored); err != nil {
			return err
		}
	}
	return it.Error()
}
