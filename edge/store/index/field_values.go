package index

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/edge/store/layout"
	"svc/shared/value"
)

// FieldValue is a value that a document has in a locale, or outside of any, for one definition.
type FieldValue struct {
	Definition uint32
	Locale     []byte
	Value      []byte // AppendValue; nil: what it has does not fit the class
}

func (f *FieldValue) compare(g *FieldValue) int {
	return cmp.Or(cmp.Compare(f.Definition, g.Definition), bytes.Compare(f.Locale, g.Locale))
}

// Presence says in which set of a definition and locale the document is: layout.Fits or layout.Unfit.
func (f *FieldValue) Presence() byte {
	if f.Value == nil {
		return layout.Unfit
	}
	return layout.Fits
}

// FieldValues are those of one document, in order. Its memory is used again for the next.
type FieldValues struct {
	List  []FieldValue
	arena []byte
	key   []byte
}

// Read finds the values of a document.
func (f *FieldValues) Read(defs map[string][]*Definition, fields []byte) error {
	f.List, f.arena = f.List[:0], f.arena[:0]
	if len(defs) == 0 {
		return nil
	}
	err := value.EachMember(fields, func(name []byte, raw jsontext.Value) error {
		of := defs[string(name)]
		if len(of) == 0 || raw[0] == 'n' {
			return nil
		}
		if raw[0] != '{' {
			f.note(of, nil, raw)
			return nil
		}
		return value.EachMember(raw, func(locale []byte, raw jsontext.Value) error {
			if raw[0] != 'n' && len(locale) > 0 && bytes.IndexByte(locale, 0) < 0 {
				f.note(of, locale, raw)
			}
			return nil
		})
	})
	slices.SortFunc(f.List, func(a, b FieldValue) int { return a.compare(&b) })
	return err
}

// note adds one value. What does not fit matters in locales alone, where it hides the default locale's.
func (f *FieldValues) note(of []*Definition, locale []byte, raw jsontext.Value) {
	for _, d := range of {
		key, ok := value.KeyOf(f.key[:0], sample(d.Class), raw)
		if !ok && len(locale) == 0 {
			continue
		}
		one := FieldValue{Definition: d.Number, Locale: f.keep(locale)}
		if ok {
			start := len(f.arena)
			f.arena = layout.AppendValue(f.arena, key)
			one.Value = f.arena[start:len(f.arena):len(f.arena)]
		}
		f.List = append(f.List, one)
	}
}

func (f *FieldValues) keep(b []byte) []byte {
	start := len(f.arena)
	f.arena = append(f.arena, b...)
	return f.arena[start:len(f.arena):len(f.arena)]
}
