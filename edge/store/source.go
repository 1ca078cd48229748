package store

import (
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
func (f *execution) gatherSources(field *schema.Field, within *numbers, read func(dst, within *numbers, s *source) error) (numbers, error) {
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
		if behind.empty() {
			continue
		}
		hidden, err := f.hiding(field, &behind, sources)
		if err != nil {
			return all, err
		}
		behind.andNot(&hidden)
		all.or(&behind)
	}
	return all, nil
}

// hiding returns who has a value in the first source, whether it fits or not.
func (f *execution) hiding(field *schema.Field, within *numbers, sources []source) (numbers, error) {
	hidden := f.newNumbers()
	err := f.readPresence(&hidden, within, field, sources[0].locale, fits)
	if err == nil {
		err = f.readPresence(&hidden, within, field, sources[0].locale, unfit)
	}
	return hidden, err
}

func (f *execution) newNumbers() numbers { return numbers{blocks: make([]*block, f.chunks)} }

func (f *execution) number(field *schema.Field) uint32 { return f.place.definition(field).number }

// readPresence adds who has a value in a locale.
func (f *execution) readPresence(dst, within *numbers, field *schema.Field, locale []byte, kind byte) error {
	f.key = append(f.meta.gen.field(f.key, f.space.presence, f.c, f.number(field), locale), kind)
	return f.readSet(dst, within)
}

// readPosting adds who has one value in a locale.
func (f *execution) readPosting(dst, within *numbers, field *schema.Field, locale, key []byte) error {
	f.key = appendValue(f.meta.gen.field(f.key, f.space.postings, f.c, f.number(field), locale), key)
	return f.readSet(dst, within)
}

// readSet adds the set whose rows begin with f.key, of those chunks that within has.
func (f *execution) readSet(dst, within *numbers) error {
	it, err := f.r.iterator(sets)
	if err != nil {
		return err
	}
	prefix := len(f.key)
	for chunk := within.from(0, f.chunks); chunk < f.chunks; {
		f.key = appendChunk(f.key[:prefix], uint16(chunk))
		if !it.SeekGE(f.key) || len(it.Key()) != prefix+2 || string(it.Key()[:prefix]) != string(f.key[:prefix]) {
			return it.Error()
		}
		at := chunkIn(it.Key())
		if at >= f.chunks { // a view of a pin looks no further
			return nil
		}
		if within == nil || within.blocks[at] != nil {
			stored, err := it.ValueAndErr()
			if err != nil {
				return err
			}
			if err := dst.at(f.r, at).addStored(stored); err != nil {
				return err
			}
		}
		chunk = within.from(at+1, f.chunks)
	}
	return nil
}

// from returns the next chunk of a set from one on; of no set, that is any.
func (s *numbers) from(chunk, chunks int) int {
	if s == nil {
		return chunk
	}
	for chunk < chunks && s.blocks[chunk] == nil {
		chunk++
	}
	return chunk
}
