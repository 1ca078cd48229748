package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/zeebo/xxh3"

	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/search"
	"svc/shared/value"
)

// FieldValue is a value that a document has in a locale, or outside of any, for one definition.
type FieldValue struct {
	Definition uint32
	Locale     []byte
	Value      []byte // AppendValue
}

func (f *FieldValue) compare(g *FieldValue) int {
	return cmp.Or(cmp.Compare(f.Definition, g.Definition), bytes.Compare(f.Locale, g.Locale), bytes.Compare(f.Value, g.Value))
}

// Term is a word or a pair of words that a document has in a locale, or outside of any, for one definition.
type Term struct {
	Definition uint32
	Locale     []byte
	Value      []byte // AppendValue; empty: a pair of words, of which only the hash is indexed
	PairHash   uint16

	posting *posting // of the batch, once it was looked up
}

// AppendKey writes the key of the term's row in its collection: definition, locale and value.
func (t *Term) AppendKey(dst []byte) []byte {
	dst = layout.AppendLocale(binary.BigEndian.AppendUint32(dst, t.Definition), t.Locale)
	if len(t.Value) > 0 {
		return append(dst, t.Value...)
	}
	return appendPairValue(dst, t.PairHash)
}

func (t *Term) compare(u *Term) int {
	return cmp.Or(cmp.Compare(t.Definition, u.Definition), bytes.Compare(t.Locale, u.Locale), cmp.Compare(t.PairHash, u.PairHash), bytes.Compare(t.Value, u.Value))
}

// Presence is that a document has any value in a locale, or outside of any, for one definition.
type Presence struct {
	Definition uint32
	Locale     []byte
	Kind       byte // layout.Fits or layout.Unfit
}

func (p *Presence) compare(q *Presence) int {
	return cmp.Or(cmp.Compare(p.Definition, q.Definition), bytes.Compare(p.Locale, q.Locale), cmp.Compare(p.Kind, q.Kind))
}

// Words are those of the texts that a document has in a locale, or outside of any, for one definition.
type Words struct {
	Definition uint32
	Locale     []byte
	Text       []byte // layout.AppendTextWord
}

// FieldValues are those of one document. Its memory is used again for the next.
type FieldValues struct {
	List    []FieldValue // in order, as Present
	Present []Presence
	Terms   []Term // in the order of the texts, some more than once, until sortTerms
	Words   []Words
	arena   []byte
	words   []byte
	key     []byte

	noTerms bool // what is read is read without Terms
	noWords bool // and without Words
}

// Read finds the values of a document.
func (f *FieldValues) Read(defs map[string][]*Definition, fields []byte) error {
	f.clear()
	if len(defs) == 0 {
		return nil
	}
	err := value.EachMember(fields, func(name []byte, raw jsontext.Value) error {
		if raw[0] == 'n' {
			return nil
		}
		for _, d := range defs[string(name)] {
			if err := f.readField(d, raw); err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortFunc(f.List, func(a, b FieldValue) int { return a.compare(&b) })
	f.List = slices.CompactFunc(f.List, func(a, b FieldValue) bool { return a.compare(&b) == 0 })
	slices.SortFunc(f.Present, func(a, b Presence) int { return a.compare(&b) })
	return err
}

// ReadTerms is Read without Words.
func (f *FieldValues) ReadTerms(defs map[string][]*Definition, fields []byte) error {
	f.noWords = true
	return f.Read(defs, fields)
}

// clear makes them those of no document.
func (f *FieldValues) clear() {
	f.List, f.Present, f.Terms, f.Words, f.arena, f.words = f.List[:0], f.Present[:0], f.Terms[:0], f.Words[:0], f.arena[:0], f.words[:0]
}

// sortTerms brings the terms into order, each once.
func (f *FieldValues) sortTerms() {
	slices.SortFunc(f.Terms, func(a, b Term) int { return a.compare(&b) })
	f.Terms = slices.CompactFunc(f.Terms, func(a, b Term) bool { return a.compare(&b) == 0 })
}

// readField takes what a field has for a definition: one value, or those of a map of locales, or both where either may be meant.
func (f *FieldValues) readField(d *Definition, raw jsontext.Value) error {
	isMap := raw[0] == '{' && !(IsAmbiguous(d.field) && !d.field.Localized)
	if isMap && d.field.Type == schema.TypeRichText {
		isMap = !isTree(raw)
	}
	if !isMap || IsAmbiguous(d.field) {
		if err := f.read(d, nil, raw); err != nil || !isMap {
			return err
		}
	}
	return value.EachMember(raw, func(locale []byte, raw jsontext.Value) error {
		if raw[0] == 'n' || len(locale) == 0 || bytes.IndexByte(locale, 0) >= 0 {
			return nil
		}
		return f.read(d, f.keep(locale), raw)
	})
}

// isTree reports whether a value is a tree of richText, and no map of locales: its type is a text.
func isTree(raw jsontext.Value) bool {
	is := false
	err := value.EachMember(raw, func(name []byte, raw jsontext.Value) error {
		is = is || string(name) == "type" && raw[0] == '"'
		return nil
	})
	return err == nil && is
}

func (f *FieldValues) read(d *Definition, locale []byte, raw jsontext.Value) error {
	switch d.Class {
	case ClassTerms:
		if locale != nil {
			f.Present = append(f.Present, Presence{d.Number, locale, layout.Fits})
		}
		if f.noWords && f.noTerms {
			return nil
		}
		start := len(f.words)
		err := value.FieldTexts(d.field, raw, func(text string) { f.addTerms(d, locale, text) })
		if text := f.words[start:len(f.words):len(f.words)]; locale != nil || len(text) > 0 {
			f.Words = append(f.Words, Words{d.Number, locale, text})
		}
		return err
	case ClassTargets: // in whichever locale
		return value.References(d.field, raw, func(id content.EntryID) {
			if b, ok := content.Bytes(id); ok {
				f.add(d, nil, b[:])
			}
		})
	}
	key, fits := value.KeyOf(f.key[:0], d.field, raw)
	switch {
	case fits:
		f.Present = append(f.Present, Presence{d.Number, locale, layout.Fits})
		f.add(d, locale, key)
	case locale != nil: // what does not fit hides the default locale's value
		f.Present = append(f.Present, Presence{d.Number, locale, layout.Unfit})
	}
	return nil
}

// addTerms adds the words of a text, the pairs of words that follow each other, and the words in their order.
func (f *FieldValues) addTerms(d *Definition, locale []byte, text string) {
	var last search.Word
	for w := range search.Words(text) {
		if !f.noWords {
			f.words = layout.AppendTextWord(f.words, w.Text, w.Position == 0)
		}
		if f.noTerms {
			continue
		}
		f.key = AppendWord(f.key[:0], w.Text)
		f.Terms = append(f.Terms, Term{Definition: d.Number, Locale: locale, Value: f.keepValue(f.key)})
		switch {
		case w.Position == 0:
		case last.Character && w.Character:
			f.key = AppendPair(f.key[:0], last.Text, w.Text, true)
			f.Terms = append(f.Terms, Term{Definition: d.Number, Locale: locale, Value: f.keepValue(f.key)})
		default:
			f.Terms = append(f.Terms, Term{Definition: d.Number, Locale: locale, PairHash: pairHash(last.Text, w.Text)})
		}
		last = w
	}
}

func (f *FieldValues) add(d *Definition, locale, key []byte) {
	f.List = append(f.List, FieldValue{Definition: d.Number, Locale: locale, Value: f.keepValue(key)})
}

func (f *FieldValues) keepValue(key []byte) []byte {
	start := len(f.arena)
	f.arena = layout.AppendValue(f.arena, key)
	return f.arena[start:len(f.arena):len(f.arena)]
}

func (f *FieldValues) keep(b []byte) []byte {
	start := len(f.arena)
	f.arena = append(f.arena, b...)
	return f.arena[start:len(f.arena):len(f.arena)]
}

// The first byte of a term's key.
const (
	aWord      = byte('w')
	aPair      = byte('p') // of two characters
	aPairsHash = byte('h')
)

// AppendWord writes the key of a word.
func AppendWord(dst []byte, word string) []byte { return append(append(dst, aWord), word...) }

// AppendPair writes the key of two words that follow each other. Of single characters it is exact. Pairs of other words are too
// many to have a row each: they share 65,536, and which of them a document has must be looked up in it.
func AppendPair(dst []byte, first, second string, characters bool) []byte {
	if characters {
		return append(append(append(dst, aPair), first...), second...)
	}
	return binary.BigEndian.AppendUint16(append(dst, aPairsHash), pairHash(first, second))
}

func pairHash(first, second string) uint16 {
	return uint16(xxh3.HashStringSeed(second, xxh3.HashString(first)))
}

// appendPairValue writes the value of all pairs of words with a hash.
func appendPairValue(dst []byte, hash uint16) []byte {
	return layout.AppendValue(dst, []byte{aPairsHash, byte(hash >> 8), byte(hash)})
}
