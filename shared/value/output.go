package value

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Output says how the field values of an entry are written for a reader.
type Output struct {
	// Schema declares the fields that are written; others are left out.
	Schema  *schema.Collection
	Locales Locales
	// Locale makes every localized field one value; empty writes locale maps.
	Locale string
	// Markdown, where it is set, returns what is written instead of the source of a markdown value, at any depth.
	Markdown func(source []byte) ([]byte, error)
	// Reference, where it is set, appends what is written instead of an id in a reference field, at any depth but not in lists.
	// Where it appends nothing, a single reference becomes null, and one of several is left out.
	Reference func(dst []byte, f *schema.Field, id jsontext.Value) ([]byte, error)
}

// Append appends an entry's field values as a reader sees them, members in schema order and what Schema does not declare left
// out. With a locale, every localized field is there and holds one value: that locale's, else the default locale's, else null.
// Without, localized fields hold their locale maps, and unset ones are left out. fields is in compact form; the whole is one pass
// over it that allocates nothing beyond dst, but for what Markdown and Reference do.
func (o *Output) Append(dst []byte, fields jsontext.Value) ([]byte, error) {
	w := o.writer()
	return w.object(dst, o.Schema.Fields, fields)
}

// AppendReplaced is Append for fields in the stored form of Schema, of which a reader sees everything as it lies there but for the
// values of some top-level fields: nothing else is looked at.
func (o *Output) AppendReplaced(dst []byte, some schema.Fields, stored jsontext.Value) ([]byte, error) {
	w := o.writer()
	c := openObject(stored)
	copied := 0
	for left := len(some); left > 0 && c.next(); {
		at := position(some, c.name, -1)
		if at < 0 {
			continue
		}
		left--
		dst = append(dst, stored[copied:c.i-len(c.value)]...)
		var err error
		if dst, err = w.value(dst, some[at], c.value); err != nil {
			return dst, err
		}
		copied = c.i
	}
	return append(dst, stored[copied:]...), c.err
}

func (o *Output) writer() writer {
	return writer{locales: o.Locales, resolve: o.Locale != "", locale: o.Locale, markdown: o.Markdown, reference: o.Reference}
}

// AppendResolved is Output.Append with every value as it is stored.
func AppendResolved(dst []byte, c *schema.Collection, locales Locales, locale string, fields jsontext.Value) ([]byte, error) {
	o := Output{Schema: c, Locales: locales, Locale: locale}
	return o.Append(dst, fields)
}

// rendered appends what is written instead of a markdown value.
func (w *writer) rendered(dst []byte, raw jsontext.Value) ([]byte, error) {
	source, ok := schema.Unquote(raw)
	if !ok {
		return append(dst, raw...), nil
	}
	text, err := w.markdown(source)
	if err != nil {
		return dst, err
	}
	return jsontext.AppendQuote(dst, text)
}

// references appends what is written instead of the ids of a reference field.
func (w *writer) references(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	one := func(dst []byte, id jsontext.Value) ([]byte, error) {
		if id[0] != '"' {
			return append(dst, id...), nil
		}
		return w.reference(dst, f, id)
	}
	switch {
	case raw[0] == '[':
		return array(dst, raw, one)
	case f.Multiple && raw[0] == '"':
		dst, err := one(append(dst, '['), raw)
		return append(dst, ']'), err
	}
	start := len(dst)
	dst, err := one(dst, raw)
	if err == nil && len(dst) == start {
		dst = append(dst, "null"...)
	}
	return dst, err
}

// array appends an array of what item appends for each of raw's; where that is nothing, the item is left out.
func array(dst []byte, raw jsontext.Value, item func(dst []byte, raw jsontext.Value) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '[')
	c := openArray(raw)
	for c.next() {
		before := len(dst)
		if dst[before-1] != '[' {
			dst = append(dst, ',')
		}
		start := len(dst)
		var err error
		if dst, err = item(dst, c.value); err != nil {
			return dst, err
		}
		if len(dst) == start {
			dst = dst[:before]
		}
	}
	return append(dst, ']'), c.err
}
