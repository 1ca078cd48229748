package value

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Fill says which missing fields Canonical gives their default.
type Fill int

// The ways to fill.
const (
	// FillNothing adds no value.
	FillNothing Fill = iota
	// FillRequired adds the default of required fields, which count as present without being stored.
	FillRequired
	// FillAll adds every default, as at the creation of an entry; a field that is null stays unset.
	FillAll
)

// Canonical returns the stored form of an entry's field values under c: members in schema order at every level,
// null and empty locale maps left out, locale maps ordered by code, a plain value of a localized field as that of
// the default locale, one id where several are allowed as an array of it. Numbers keep their text. What c does not
// declare, blocks included, is left out; a value that does not fit its field is copied. fields is in compact form.
func Canonical(c *schema.Collection, locales Locales, fields jsontext.Value, fill Fill) (jsontext.Value, error) {
	w := writer{locales: locales, fill: fill}
	return w.object(make([]byte, 0, len(fields)+64), c.Fields, fields)
}

// writer appends values in schema order.
type writer struct {
	locales Locales
	fill    Fill
	// resolve makes localized fields one value, as a reader in locale sees them.
	resolve bool
	locale  string
	// markdown and reference are those of Output; nil writes values as they are.
	markdown  func(source []byte) ([]byte, error)
	reference func(dst []byte, f *schema.Field, id jsontext.Value) ([]byte, error)
}

func (w *writer) object(dst []byte, fields schema.Fields, raw jsontext.Value) ([]byte, error) {
	var space [room]jsontext.Value
	values := space[:]
	if len(fields) > room {
		values = make([]jsontext.Value, len(fields))
	}
	values = values[:len(fields)]
	if err := split(values, fields, raw); err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	var err error
	for i, f := range fields {
		before := len(dst)
		if dst[before-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), f.Key...), '"', ':')
		start := len(dst)
		if dst, err = w.field(dst, f, values[i]); err != nil {
			return dst, err
		}
		if len(dst) == start {
			dst = dst[:before] // unset
		}
	}
	return append(dst, '}'), nil
}

// field appends the value of one field, and nothing where it is unset.
func (w *writer) field(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	if f.Localized && !w.locales.None() {
		return w.localized(dst, f, raw)
	}
	if raw == nil || raw[0] == 'n' {
		if w.fills(f, raw) {
			return append(dst, f.Default...), nil
		}
		return dst, nil
	}
	return w.value(dst, f, raw)
}

// fills reports whether an unset field gets its default; raw is nil or null.
func (w *writer) fills(f *schema.Field, raw jsontext.Value) bool {
	switch {
	case f.Default == nil:
		return false
	case w.fill == FillRequired:
		return f.Required
	case w.fill == FillAll:
		return f.Required || raw == nil
	}
	return false
}

// value appends one value of a field, in one locale where it is localized.
func (w *writer) value(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	switch {
	case f.Type == schema.TypeReference && w.reference != nil:
		return w.references(dst, f, raw)
	case f.Type == schema.TypeMarkdown && w.markdown != nil && raw[0] == '"':
		return w.rendered(dst, raw)
	case f.Multiple && raw[0] == '"':
		return append(append(append(dst, '['), raw...), ']'), nil
	case f.Type == schema.TypeObject && raw[0] == '{':
		return w.object(dst, f.Fields, raw)
	case raw[0] == '[' && f.Type == schema.TypeBlocks:
		return array(dst, raw, func(dst []byte, raw jsontext.Value) ([]byte, error) { return w.block(dst, f, raw) })
	case raw[0] == '[' && f.Type == schema.TypeList && (f.Of.Type == schema.TypeObject || f.Of.Type == schema.TypeMarkdown && w.markdown != nil):
		return array(dst, raw, func(dst []byte, raw jsontext.Value) ([]byte, error) { return w.value(dst, f.Of, raw) })
	}
	return append(dst, raw...), nil
}

// block appends a block, and nothing where its type is not allowed any more.
func (w *writer) block(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	if raw[0] != '{' {
		return append(dst, raw...), nil
	}
	key, fields, err := Block(raw)
	if err != nil {
		return dst, err
	}
	b := f.Block(key)
	if b == nil {
		return dst, nil
	}
	if fields == nil || fields[0] == 'n' {
		fields = jsontext.Value("{}")
	}
	if fields[0] != '{' {
		return append(dst, raw...), nil
	}
	dst = append(append(append(dst, `{"type":"`...), b.Key...), `","fields":`...)
	if dst, err = w.object(dst, b.Fields, fields); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

// Block returns the type and the fields of a block; "" and nil where a member is missing or the type no string.
// raw is an object in compact form.
func Block(raw jsontext.Value) (key string, fields jsontext.Value, err error) {
	c := openObject(raw)
	for c.next() {
		switch string(c.name) {
		case "type":
			if text, ok := schema.Unquote(c.value); ok {
				key = string(text)
			}
		case "fields":
			fields = c.value
		}
	}
	return key, fields, c.err
}
