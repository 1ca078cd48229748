package plan

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/schema"
	"svc/shared/search"
)

// A search reads the rows of its words and of their pairs, in each field that holds text. Within a field and a locale a phrase
// is the intersection of its terms, and what all fields and locales have of it is united. That is exact for a word and for two
// characters. Of a longer phrase it is what may match: then the words of each document are looked at too (phrase.go).

// searched is a field that holds text.
type searched struct {
	field *schema.Field
	of    *index.Definition // nil: it is not built
}

// searchedFields returns the fields of a schema that hold text. Schemas stay the same objects as long as a Collection does.
func (c *Collection) searchedFields(s *schema.Collection) []searched {
	if known, ok := c.searchable.Load(s); ok {
		return known.([]searched)
	}
	var fields []searched
	for _, f := range s.Fields {
		if name := index.TermsOf(f); name.Class == index.ClassTerms {
			fields = append(fields, searched{f, c.Definitions[name]})
		}
	}
	c.searchable.Store(s, fields)
	return fields
}

// searchIndexed reports whether the index of every field that the search reads is built.
func (x *execution) searchIndexed() bool {
	if len(x.q.Search.Clauses) == 0 {
		return true
	}
	for _, s := range x.collection.searchedFields(x.q.Frame.Schema) {
		if s.of == nil {
			return false
		}
	}
	return true
}

// search leaves what may match the clauses that a text must have, or those that it must not.
func (x *execution) search(excluded bool) error {
	for i := range x.q.Search.Clauses {
		c := &x.q.Search.Clauses[i]
		x.worded = x.worded || !c.Exclude
		if c.Exclude != excluded || x.matched != nil && x.matched.IsEmpty() {
			continue
		}
		certain := x.isExact()
		x.tested = x.tested || !certain
		if !c.IsTerm() {
			x.phrases = append(x.phrases, phraseOf(c))
		}
		if excluded && !(certain && c.IsTerm()) {
			continue // what has its terms may still not have it
		}
		set, err := x.clause(c)
		if err != nil {
			return err
		}
		if err := x.take(set, !excluded); err != nil {
			return err
		}
	}
	return nil
}

// isExact reports whether the sets of words are those of the values that the query reads.
func (x *execution) isExact() bool {
	return !slices.ContainsFunc(x.collection.searchedFields(x.q.Frame.Schema), func(s searched) bool { return isAmbiguous(s.field) })
}

// isAmbiguous reports whether the words of a field may be of values that the query does not read.
func isAmbiguous(f *schema.Field) bool { return f.Localized && index.IsAmbiguous(f) }

// clause returns what has the terms of a clause, and may have some more where the sets are not exact. It is kept for other searches.
func (x *execution) clause(c *search.Clause) (*roaring.Bitmap, error) {
	key := x.clauseKey(c)
	if kept, ok := x.engine.sets.Get(key); ok {
		return kept, nil
	}
	set, err := x.readClause(c)
	if err == nil {
		x.engine.sets.Put(key, set)
	}
	return set, err
}

// clauseKey names the set of a clause: by its terms, by what the values of fields are read by, and by the release.
func (x *execution) clauseKey(c *search.Clause) []byte {
	frame := x.q.Frame
	x.key = x.r.Generation.Field(x.key, x.space.Postings, x.c, layout.EveryEntry, []byte(x.q.Locale))
	x.key = layout.AppendLocale(x.key, []byte(frame.DefaultLocale))
	x.key = binary.BigEndian.AppendUint32(x.key, frame.Version)
	for term := range termsOf(c) {
		x.key = layout.AppendValue(x.key, term)
	}
	release := x.changed
	if x.past {
		release = x.last.Release
	}
	return append(snapshot.AppendSetKey(nil, x.r.Generation, x.c, release), x.key...)
}

func (x *execution) readClause(c *search.Clause) (*roaring.Bitmap, error) {
	var sets []*roaring.Bitmap
	for _, s := range x.collection.searchedFields(x.q.Frame.Schema) {
		read := func(from *source) (*roaring.Bitmap, error) { return x.terms(s.of.Number, from.locale, c) }
		if x.q.Locale != "" && !isAmbiguous(s.field) {
			set, err := x.unionOfSources(s.field, s.of, read)
			if err != nil {
				return nil, err
			}
			sets = append(sets, set)
			continue
		}
		locales, err := x.allLocales(&s)
		if err != nil {
			return nil, err
		}
		for _, locale := range locales {
			set, err := read(&source{locale: locale})
			if err != nil {
				return nil, err
			}
			sets = append(sets, set)
		}
	}
	return union(sets), nil
}

// allLocales are the locales in which a field has values; nil stands for what is outside of any.
func (x *execution) allLocales(s *searched) ([][]byte, error) {
	all := [][]byte{nil}
	if !s.field.Localized || len(x.q.Frame.Locales) == 0 {
		return all, nil
	}
	it, err := x.r.Iterator(snapshot.Postings)
	if err != nil {
		return nil, err
	}
	start := x.r.Generation.Field(nil, x.space.Presence, x.c, s.of.Number, nil)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start[:layout.DefinitionLen]); ok = it.SeekGE(x.key) {
		locale, _, _ := bytes.Cut(it.Key()[layout.DefinitionLen:], []byte{0})
		all = append(all, bytes.Clone(locale))
		x.key = append(x.r.Generation.Field(x.key, x.space.Presence, x.c, s.of.Number, locale), 0xff)
	}
	return all, it.Error()
}

// terms returns what has all terms of a clause in one field and locale. The set may be shared: do not change it.
func (x *execution) terms(f uint32, locale []byte, c *search.Clause) (*roaring.Bitmap, error) {
	recent, release := x.collection.Recent, x.moment.Head
	if x.past {
		release = x.last.Release
	}
	if err := recent.readTo(release, x.r, x.c); err != nil {
		return nil, err
	}
	var set *roaring.Bitmap
	var keys [][]byte
	start := x.r.Generation.Field(nil, x.space.Postings, x.c, f, locale)
	for term := range termsOf(c) {
		x.key = layout.AppendValue(append(x.key[:0], start...), term)
		if release > recent.since {
			keys = append(keys, bytes.Clone(x.key[layout.CollectionLen:]))
		}
		if set != nil && set.IsEmpty() {
			continue
		}
		of, err := x.set(recent.since) // of what was published until then, it stays as it is
		if err != nil {
			return nil, err
		}
		if set == nil {
			set = of
		} else {
			set = roaring.And(set, of)
		}
	}
	return recent.correct(set, keys, x.past, release), nil
}

// termsOf yields the values of the terms of a clause: of its pairs of words, and of its words beside those that are in exact pairs.
func termsOf(c *search.Clause) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i, t := range c.Terms {
			if t.Second != "" && !yield(index.AppendPair(nil, t.First, t.Second, t.Characters)) {
				return
			}
			if t.Characters {
				continue // they are in their pair
			}
			if i == 0 && !yield(index.AppendWord(nil, t.First)) {
				return
			}
			if t.Second != "" && !yield(index.AppendWord(nil, t.Second)) {
				return
			}
		}
	}
}
