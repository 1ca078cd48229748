package store

import (
	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
	"svc/shared/schema"
)

// source is where a reader's value of a field may come from: the map's value in a locale, or what stands outside of any map.
// Locale fallback is not stored: a read in a locale takes that, and of those that have no value in it the default locale.
type source struct {
	locale []byte
	behind bool // counts only where the first source has nothing, fitting or not
	role   role // of the iterator that walks it
}

const maxSources = 3

// sources returns where values of a field come from in the locale of the query. No document has both a map and a value outside
// of one, and none counts twice.
func (f *execution) sources(field *schema.Field) []source {
	s := f.sourced[:0]
	if frame := f.q.Frame; field.Localized && len(frame.Locales) > 0 {
		if f.q.Locale != "" && f.q.Locale != frame.DefaultLocale {
			s = append(s, source{locale: []byte(f.q.Locale), role: ordered})
		}
		s = append(s, source{locale: []byte(frame.DefaultLocale), role: fallback, behind: len(s) > 0})
	}
	return append(s, source{role: plainly})
}

// gatherSources puts together what read finds in each source, leaving out what another source hides. Of within, where that is
// not nil, only those chunks are looked at.
func (f *execution) gatherSources(field *schema.Field, within *bitmap.Set, read func(dst, within *bitmap.Set, s *source) error) (bitmap.Set, error) {
	all := f.newNumbers()
	sources := f.sources(field)
	for i := range sources {
		s := &sources[i]
		if !s.behind {
			if err := read(&all, within, s); err != nil {
				return all, err
			}
			continue
		}
		behind := f.newNumbers()
		if err := read(&behind, within, s); err != nil {
			return all, err
		}
		if behind.Empty() {
			continue
		}
		hidden, err := f.hiding(field, &behind, sources)
		if err != nil {
			return all, err
		}
		behind.AndNot(&hidden)
		all.Or(&behind)
	}
	return all, nil
}

// hiding returns who has a value in the first source, whether it fits or not.
func (f *execution) hiding(field *schema.Field, within *bitmap.Set, sources []source) (bitmap.Set, error) {
	hidden := f.newNumbers()
	err := f.readPresence(&hidden, within, field, sources[0].locale, layout.Fits)
	if err == nil {
		err = f.readPresence(&hidden, within, field, sources[0].locale, layout.Unfit)
	}
	return hidden, err
}

func (f *execution) newNumbers() bitmap.Set {
	return bitmap.NewSet(&f.r.blocks, f.chunks, f.chunkCount)
}

func (f *execution) number(field *schema.Field) uint32 { return f.place.definition(field).Number }

// readPresence adds who has a value in a locale.
func (f *execution) readPresence(dst, within *bitmap.Set, field *schema.Field, locale []byte, kind byte) error {
	f.key = append(f.meta.gen.Field(f.key, f.space.Presence, f.c, f.number(field), locale), kind)
	return f.readSet(dst, within)
}

// readPosting adds who has one value in a locale.
func (f *execution) readPosting(dst, within *bitmap.Set, field *schema.Field, locale, key []byte) error {
	f.key = layout.AppendValue(f.meta.gen.Field(f.key, f.space.Postings, f.c, f.number(field), locale), key)
	return f.readSet(dst, within)
}

// readSet adds the set whose rows begin with f.key, of those chunks that within has.
func (f *execution) readSet(dst, within *bitmap.Set) error {
	it, err := f.r.iterator(sets)
	if err != nil {
		return err
	}
	prefix := len(f.key)
	for chunk := within.NextChunk(0); chunk < f.chunkCount; {
		f.key = layout.AppendChunk(f.key[:prefix], uint16(chunk))
		if !it.SeekGE(f.key) || len(it.Key()) != prefix+2 || string(it.Key()[:prefix]) != string(f.key[:prefix]) {
			return it.Error()
		}
		at := layout.ChunkIn(it.Key())
		if at >= f.chunkCount { // a view of a pin looks no further
			return nil
		}
		if within.HasChunk(at) {
			stored, err := it.ValueAndErr()
			if err != nil {
				return err
			}
			if err := dst.At(at).AddStored(stored); err != nil {
				return err
			}
		}
		chunk = within.NextChunk(at + 1)
	}
	return nil
}
