package plan

import (
	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/schema"
)

// source is where a reader's value of a field may come from: the map's value in a locale, or what stands outside of any map.
// Locale fallback is not stored: a read in a locale takes that, and of those that have no value in it the default locale.
type source struct {
	locale   []byte
	fallback bool          // counts only where the first source has nothing, fitting or not
	role     snapshot.Role // of the iterator that scans it
}

const maxSources = 3

// sources returns where values of a field come from in the locale of the query. No document has both a map and a value outside
// of one, and none counts twice.
func (x *execution) sources(field *schema.Field) []source {
	s := x.sourced[:0]
	if frame := x.q.Frame; field.Localized && len(frame.Locales) > 0 {
		if x.q.Locale != "" && x.q.Locale != frame.DefaultLocale {
			s = append(s, source{locale: []byte(x.q.Locale), role: snapshot.Ordered})
		}
		s = append(s, source{locale: []byte(frame.DefaultLocale), role: snapshot.OrderedDefault, fallback: len(s) > 0})
	}
	return append(s, source{role: snapshot.OrderedUnlocalized})
}

// unionOfSources puts together what read finds in each source, leaving out what another source hides. Of within, where that is
// not nil, only those chunks are looked at.
func (x *execution) unionOfSources(field *schema.Field, within *bitmap.Set, read func(dst, within *bitmap.Set, s *source) error) (bitmap.Set, error) {
	all := x.newNumbers()
	sources := x.sources(field)
	for i := range sources {
		s := &sources[i]
		if !s.fallback {
			if err := read(&all, within, s); err != nil {
				return all, err
			}
			continue
		}
		rest := x.newNumbers()
		if err := read(&rest, within, s); err != nil {
			return all, err
		}
		if rest.Empty() {
			continue
		}
		hidden, err := x.hiding(field, &rest, sources)
		if err != nil {
			return all, err
		}
		rest.AndNot(&hidden)
		all.Or(&rest)
	}
	return all, nil
}

// hiding returns who has a value in the first source, whether it fits or not.
func (x *execution) hiding(field *schema.Field, within *bitmap.Set, sources []source) (bitmap.Set, error) {
	hidden := x.newNumbers()
	err := x.readPresence(&hidden, within, field, sources[0].locale, layout.Fits)
	if err == nil {
		err = x.readPresence(&hidden, within, field, sources[0].locale, layout.Unfit)
	}
	return hidden, err
}

func (x *execution) newNumbers() bitmap.Set {
	return bitmap.NewSet(&x.r.Blocks, x.chunks, x.chunkCount)
}

func (x *execution) number(field *schema.Field) uint32 { return x.collection.definition(field).Number }

// readPresence adds who has a value in a locale.
func (x *execution) readPresence(dst, within *bitmap.Set, field *schema.Field, locale []byte, kind byte) error {
	x.key = append(x.r.Generation.Field(x.key, x.space.Presence, x.c, x.number(field), locale), kind)
	return x.readSet(dst, within)
}

// readPosting adds who has one value in a locale.
func (x *execution) readPosting(dst, within *bitmap.Set, field *schema.Field, locale, key []byte) error {
	x.key = layout.AppendValue(x.r.Generation.Field(x.key, x.space.Postings, x.c, x.number(field), locale), key)
	return x.readSet(dst, within)
}

// readSet adds the set whose rows begin with x.key, of those chunks that within has.
func (x *execution) readSet(dst, within *bitmap.Set) error {
	it, err := x.r.Iterator(snapshot.Postings)
	if err != nil {
		return err
	}
	prefix := len(x.key)
	for chunk := within.NextChunk(0); chunk < x.chunkCount; {
		x.key = layout.AppendChunk(x.key[:prefix], uint16(chunk))
		if !it.SeekGE(x.key) || len(it.Key()) != prefix+2 || string(it.Key()[:prefix]) != string(x.key[:prefix]) {
			return it.Error()
		}
		at := layout.ChunkIn(it.Key())
		if at >= x.chunkCount { // a view of a pin looks no further
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
