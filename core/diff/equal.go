package diff

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// equal reports whether two values of a field are the same; nil is unset, and f is nil where the schema does not declare it.
func (fr Frame) equal(f *schema.Field, a, b jsontext.Value) (bool, error) {
	if a != nil && bytes.Equal(a, b) {
		return true, nil
	}
	w := writer{frame: fr, leaf: fr.appendForm}
	x, err := w.value(nil, f, a, nil, 0)
	if err != nil {
		return false, err
	}
	y, err := w.value(nil, f, b, nil, 0)
	return bytes.Equal(x, y), err
}

// appendForm appends the one form of a value that does not divide.
func (fr Frame) appendForm(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	w := writer{frame: fr, leaf: fr.appendForm}
	switch {
	case f == nil || raw == nil:
	case f.Type == schema.TypeJSON || f.Type == schema.TypeRichText:
		return appendCanonical(dst, raw)
	case f.Type == schema.TypeList && raw.Kind() == '[':
		return appendItems(dst, raw, func(dst []byte, item jsontext.Value) ([]byte, error) { return w.value(dst, f.Of, item, nil, 0) })
	case f.Type == schema.TypeBlocks && raw.Kind() == '[':
		return appendItems(dst, raw, func(dst []byte, item jsontext.Value) ([]byte, error) { return w.block(dst, f, item) })
	}
	return append(dst, raw...), nil
}

// block appends the form of a block: its type, and its fields as an object.
func (w writer) block(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error) {
	if raw.Kind() != '{' {
		return append(dst, raw...), nil
	}
	key, fields, err := value.Block(raw)
	if err != nil {
		return dst, err
	}
	block := f.Block(key)
	if block == nil || fields.Kind() != '{' {
		return append(dst, raw...), nil
	}
	return w.object(append(append(dst, key...), ' '), level{fields: block.Fields}, fields, nil, 0)
}

// appendItems appends an array of what one appends for each item.
func appendItems(dst []byte, raw jsontext.Value, one func(dst []byte, item jsontext.Value) ([]byte, error)) ([]byte, error) {
	items, err := value.Items(raw)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = one(dst, item); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// sameJSON reports whether two values are the same but for the order of members and the notation of numbers.
func sameJSON(a, b jsontext.Value) (bool, error) {
	x, err := appendCanonical(nil, a)
	if err != nil {
		return false, err
	}
	y, err := appendCanonical(nil, b)
	return bytes.Equal(x, y), err
}

// appendCanonical appends the one form of a JSON value in compact form: members by name, and each number in one notation.
func appendCanonical(dst []byte, raw jsontext.Value) ([]byte, error) {
	switch raw.Kind() {
	case '{':
		members, err := value.Members(raw)
		if err != nil {
			return dst, err
		}
		slices.SortFunc(members, func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) })
		dst = append(dst, '{')
		for i, m := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = jsontext.AppendQuote(dst, m.Name); err != nil {
				return dst, err
			}
			if dst, err = appendCanonical(append(dst, ':'), m.Value); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	case '[':
		return appendItems(dst, raw, appendCanonical)
	case '0':
		return append(dst, canonicalNumber(string(raw))...), nil
	}
	return append(dst, raw...), nil
}

// canonicalNumber writes a number exactly, without an exponent while that is short. What is too large for a decimal stays as it is.
func canonicalNumber(text string) string {
	d, _, err := apd.NewFromString(text)
	if err != nil {
		return text
	}
	d.Reduce(d) // takes the sign of zero as well
	if d.Exponent >= -30 && d.Exponent <= 20 {
		return d.Text('f')
	}
	return d.Text('E')
}
