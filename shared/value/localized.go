package value

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// localized appends the value of a localized field in a project with locales.
func (w *writer) localized(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	if w.resolve {
		picked, err := w.locales.Pick(f, raw, w.locale)
		if err != nil {
			return dst, err
		}
		if picked == nil || picked[0] == 'n' {
			return append(dst, "null"...), nil
		}
		return w.value(dst, f, picked)
	}
	if raw == nil || raw[0] == 'n' {
		if !w.fills(f, raw) {
			return dst, nil
		}
		return w.oneLocale(dst, f, f.Default)
	}
	isMap, err := w.locales.IsMap(f, raw)
	if err != nil {
		return dst, err
	}
	if !isMap {
		return w.oneLocale(dst, f, raw)
	}
	start := len(dst)
	if dst, err = w.localeMap(dst, f, raw); err != nil || len(dst) > start || !w.fills(f, unset) {
		return dst, err
	}
	return w.oneLocale(dst, f, f.Default)
}

// unset is what a map without a value says of a field.
var unset = jsontext.Value("null")

// oneLocale appends the map that holds raw as the default locale's value.
func (w *writer) oneLocale(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	dst = append(append(append(dst, '{', '"'), w.locales.Default...), '"', ':')
	dst, err := w.value(dst, f, raw)
	return append(dst, '}'), err
}

// localeMap appends a map of locale to value, ordered by locale. Stored maps are, so sorting is the exception.
func (w *writer) localeMap(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	c := openObject(raw)
	start := len(dst)
	var last []byte
	for c.next() {
		if c.value[0] == 'n' {
			continue
		}
		if last != nil && bytes.Compare(last, c.name) > 0 {
			return w.sortedLocaleMap(dst[:start], f, raw)
		}
		last = c.name
		var err error
		if dst, err = w.oneOfMap(dst, start, f, c.quoted, c.value); err != nil {
			return dst, err
		}
	}
	return closeMap(dst, start), c.err
}

func (w *writer) sortedLocaleMap(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	members, err := Members(raw)
	if err != nil {
		return dst, err
	}
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	start := len(dst)
	for _, m := range members {
		if m.Value[0] == 'n' {
			continue
		}
		quoted, err := jsontext.AppendQuote(nil, m.Name)
		if err != nil {
			return dst, ErrForm
		}
		if dst, err = w.oneOfMap(dst, start, f, quoted, m.Value); err != nil {
			return dst, err
		}
	}
	return closeMap(dst, start), nil
}

// oneOfMap appends a member of the map that starts at dst[start].
func (w *writer) oneOfMap(dst []byte, start int, f *schema.Field, quoted []byte, raw jsontext.Value) ([]byte, error) {
	if len(dst) == start {
		dst = append(dst, '{')
	} else {
		dst = append(dst, ',')
	}
	return w.value(append(append(dst, quoted...), ':'), f, raw)
}

// closeMap ends the map that starts at dst[start]; an empty one is no value.
func closeMap(dst []byte, start int) []byte {
	if len(dst) == start {
		return dst
	}
	return append(dst, '}')
}
