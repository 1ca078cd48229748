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
		picked, err := w.locales.InLocaleOrDefault(f, raw, w.locale)
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

// localeMap appends a map of locale to value, ordered by locale, and nothing where no locale has a value. Stored maps are in
// order, so sorting is the exception.
func (w *writer) localeMap(dst []byte, f *schema.Field, raw jsontext.Value) (out []byte, err error) {
	start := len(dst)
	var last []byte
	c := openObject(raw)
	for c.next() {
		if c.value[0] == 'n' {
			continue
		}
		if last != nil && bytes.Compare(last, c.name) > 0 {
			sorted, err := sortMembers(raw)
			if err != nil {
				return dst, err
			}
			return w.localeMap(dst[:start], f, sorted)
		}
		before := byte(',')
		if last == nil {
			before = '{'
		}
		last = c.name
		if dst, err = w.value(append(append(append(dst, before), c.quoted...), ':'), f, c.value); err != nil {
			return dst, err
		}
	}
	if last != nil {
		dst = append(dst, '}')
	}
	return dst, c.err
}

// sortMembers returns an object with its members by name.
func sortMembers(raw jsontext.Value) (jsontext.Value, error) {
	members, err := Members(raw)
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	sorted := jsontext.Value{'{'}
	for i, m := range members {
		if i > 0 {
			sorted = append(sorted, ',')
		}
		quoted, bad := jsontext.AppendQuote(sorted, m.Name)
		if bad != nil {
			return nil, ErrForm
		}
		sorted = append(append(quoted, ':'), m.Value...)
	}
	return append(sorted, '}'), err
}
