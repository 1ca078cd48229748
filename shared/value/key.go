package value

import (
	"encoding/binary"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// AppendKey appends the key of a scalar: bytes that compare as the scalars of its class do (bytes.Compare for Compare), so
// equal values have equal keys however they were written. Text is its UTF-8, of any length; dates are their text;
// a boolean is one byte; an instant is twelve, seconds and nanoseconds; a number is at most 54, sign, exponent and digits
// (see number_key.go). A key does not say where it ends, and one may be the beginning of another.
func AppendKey(dst []byte, s Scalar) []byte {
	switch s.kind {
	case schema.TypeNumber:
		var space [MaxNumberKey * 2]byte
		digits := s.number.Coeff.Append(space[:0], 10)
		return appendNumberKey(dst, s.number.Negative, digits, len(digits)+int(s.number.Exponent))
	case schema.TypeBoolean:
		return append(dst, byte(bit(s.truth)))
	case schema.TypeDatetime:
		return appendInstantKey(dst, s.time.Unix(), s.time.Nanosecond())
	}
	return append(dst, s.text...)
}

// KeyOf returns the key of a stored value of field f: what AppendKey makes of its ScalarOf, without allocating. The key is a
// part of raw, or of buf beyond its length, where it may grow. It is false where raw does not fit the type of f, as null does
// not. raw is in compact form, one locale's value where f is localized, and may be nil.
func KeyOf(buf []byte, f *schema.Field, raw jsontext.Value) (key []byte, fits bool) {
	if len(raw) == 0 {
		return nil, false
	}
	class := ClassOf(f)
	switch raw[0] {
	case '"':
		if class != ClassText && class != ClassDate && class != ClassDatetime {
			return nil, false
		}
		text, ok := unquoteInto(buf, raw)
		if !ok {
			return nil, false
		}
		return textKey(buf, class, text)
	case 't', 'f':
		if class != ClassBoolean {
			return nil, false
		}
		return booleanKey(buf, raw)
	case 'n', '{', '[':
		return nil, false
	}
	if class != ClassNumber {
		return nil, false
	}
	start := len(buf)
	buf, ok := appendNumberTextKey(buf, raw)
	return buf[start:], ok
}

func booleanKey(buf, raw []byte) ([]byte, bool) {
	start := len(buf)
	switch string(raw) {
	case "true":
		return append(buf, 1)[start:], true
	case "false":
		return append(buf, 0)[start:], true
	}
	return nil, false
}

// textKey is the key of a stored string.
func textKey(buf []byte, class Class, text []byte) ([]byte, bool) {
	switch class {
	case ClassDate:
		_, ok := parseDay(text)
		return text, ok
	case ClassDatetime:
		seconds, nanos, ok := parseInstant(text)
		if !ok {
			return nil, false
		}
		start := len(buf)
		return appendInstantKey(buf, seconds, nanos)[start:], true
	}
	return text, true
}

// unquoteInto returns what a quoted string says: a part of it where it has no escapes, else a part of buf.
func unquoteInto(buf, quoted []byte) ([]byte, bool) {
	if len(quoted) < 2 || quoted[len(quoted)-1] != '"' {
		return nil, false
	}
	if !hasEscape(quoted) {
		return quoted[1 : len(quoted)-1], true
	}
	start := len(buf)
	text, err := jsontext.AppendUnquote(buf, quoted)
	if err != nil {
		return nil, false
	}
	return text[start:], true
}

func appendInstantKey(dst []byte, seconds int64, nanos int) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(seconds)^1<<63)
	return binary.BigEndian.AppendUint32(dst, uint32(nanos))
}

// Class is what decides the keys of a field's values: fields of one class have keys that compare with each other.
type Class byte

// The classes of scalar fields. Text, slugs and the ids in references and assets are one.
const (
	ClassNone     Class = 0
	ClassText     Class = 't'
	ClassNumber   Class = 'n'
	ClassBoolean  Class = 'b'
	ClassDate     Class = 'd'
	ClassDatetime Class = 'i'
)

// ClassOf returns the class of a field's values; ClassNone where the field is not scalar (schema.Field.Filterable).
func ClassOf(f *schema.Field) Class {
	if !f.Filterable() {
		return ClassNone
	}
	switch f.Type {
	case schema.TypeNumber:
		return ClassNumber
	case schema.TypeBoolean:
		return ClassBoolean
	case schema.TypeDate:
		return ClassDate
	case schema.TypeDatetime:
		return ClassDatetime
	}
	return ClassText
}
