package store

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/edge/store/layout"
	"svc/shared/value"
)

// fact is what indexes say of a document: that of a definition it has a value in a locale, or outside of any.
type fact struct {
	definition uint32
	locale     []byte
	value      []byte // AppendValue; nil: what it has does not fit the class
}

func (f *fact) compare(g *fact) int {
	return cmp.Or(cmp.Compare(f.definition, g.definition), bytes.Compare(f.locale, g.locale))
}

func (f *fact) presence() byte {
	if f.value == nil {
		return layout.Unfit
	}
	return layout.Fits
}

// facts are those of one document, in order. Its memory is used again for the next.
type facts struct {
	list  []fact
	arena []byte
	key   []byte
}

// read finds what there is to say of a document.
func (f *facts) read(defs map[string][]*definition, fields []byte) error {
	f.list, f.arena = f.list[:0], f.arena[:0]
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
	slices.SortFunc(f.list, func(a, b fact) int { return a.compare(&b) })
	return err
}

// note takes one value down. What does not fit matters in locales alone, where it hides the default locale's.
func (f *facts) note(of []*definition, locale []byte, raw jsontext.Value) {
	for _, d := range of {
		key, ok := value.KeyOf(f.key[:0], sample(d.class), raw)
		if !ok && len(locale) == 0 {
			continue
		}
		one := fact{definition: d.number, locale: f.keep(locale)}
		if ok {
			start := len(f.arena)
			f.arena = layout.AppendValue(f.arena, key)
			one.value = f.arena[start:len(f.arena):len(f.arena)]
		}
		f.list = append(f.list, one)
	}
}

func (f *facts) keep(b []byte) []byte {
	start := len(f.arena)
	f.arena = append(f.arena, b...)
	return f.arena[start:len(f.arena):len(f.arena)]
}
