package value

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
)

// KeyOf returns the key of a stored value of field f: bytes that compare as the values of its class do (bytes.Compare), so
// equal values have equal keys however they were written. Text is its UTF-8, of any length; dates are their text; a boolean
// is one byte; an instant is twelve, seconds and nanoseconds; a number is at most 54, sign, exponent and digits (see
// appendNumberKey). A key does not say where it ends, and one may be the beginning of another.
//
// It does not allocate, but for a text with escapes: the key is a part of raw, or of buf beyond its length, where it may grow.
// It is false where raw does not fit the type of f, as null does not. raw is in compact form, one locale's value where f is localized, and may be nil.
func KeyOf(buf []byte, f *schema.Field, raw jsontext.Value) (key []byte, fits bool) {
	if len(raw) == 0 {
		return nil, false
	}
	class := ClassOf(f)
	if isText := class == ClassText || class == ClassDate || class == ClassDatetime; isText != (raw[0] == '"') {
		return nil, false
	} else if isText {
		if raw, fits = schema.Unquote(raw); !fits {
			return nil, false
		}
	}
	return textKey(buf, class, raw)
}

// Coerce returns the key of a value of field f that is the text of a filter; false where f cannot have such a value.
func Coerce(f *schema.Field, text string) (key []byte, fits bool) {
	class := ClassOf(f)
	switch {
	case f.Type == schema.TypeReference && !content.IsID[content.EntryID](text), f.Type == schema.TypeAsset && !content.IsID[content.AssetID](text):
		return nil, false
	case class == ClassDatetime:
		text = strings.Replace(text, " ", "+", 1) // a + in a query is a space
	}
	return textKey(nil, class, []byte(text))
}

// textKey is the key of a value of a class as it is written, a string without its quotes: a part of text or of buf.
func textKey(buf []byte, class Class, text []byte) ([]byte, bool) {
	start := len(buf)
	switch class {
	case ClassText:
		return text, true
	case ClassDate:
		// The layout of a datetime is read faster than any other.
		if _, err := time.Parse(time.RFC3339, string(text)+"T00:00:00Z"); err != nil || len(text) != len(time.DateOnly) {
			return nil, false
		}
		return text, true
	case ClassDatetime:
		t, err := schema.ParseDatetime(unsafe.String(unsafe.SliceData(text), len(text)))
		if err != nil {
			return nil, false
		}
		buf = binary.BigEndian.AppendUint64(buf, uint64(t.Unix())^1<<63)
		return binary.BigEndian.AppendUint32(buf, uint32(t.Nanosecond()))[start:], true
	case ClassNumber:
		buf, ok := appendNumberKey(buf, text)
		return buf[start:], ok
	case ClassBoolean:
		switch string(text) {
		case "true":
			return append(buf, 1)[start:], true
		case "false":
			return append(buf, 0)[start:], true
		}
	}
	return nil, false
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

// MaxNumberKey is the greatest length of a number's key, in bytes: a sign, two of exponent, two digits in each of the
// others, and the end of a negative one.
const MaxNumberKey = 1 + 2 + schema.MaxNumberDigits/2 + 1

// The first byte of a number's key.
const (
	keyNegative = 1
	keyZero     = 2
	keyPositive = 3
)

// appendNumberKey appends the key of a number in JSON; false where schema.ParseNumber would refuse it. As 0.digits × 10^point,
// a positive one has its point, raised so that it is never negative, and its digits in pairs, each plus one, without zeros at
// the end. A negative one has the complement of that, and a byte that is greater than all others at its end, so that fewer
// digits are more.
func appendNumberKey(dst, text []byte) ([]byte, bool) {
	s := unsafe.String(unsafe.SliceData(text), len(text))
	if !schema.IsNumber(s) || schema.CheckNumber(text) != nil {
		return dst, false
	}
	point := 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		point, _ = strconv.Atoi(s[i+1:]) // checked above
		text = text[:i]
	}
	text, negative := bytes.CutPrefix(text, []byte("-"))
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	var space [schema.MaxNumberDigits]byte
	digits := append(append(space[:0], whole...), fraction...)
	point += len(whole)
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	digits = bytes.TrimRight(digits, "0")
	if len(digits) == 0 {
		return append(dst, keyZero), true
	}
	sign, flip := byte(keyPositive), byte(0)
	exponent := uint16(point + 1<<15)
	if negative {
		sign, flip, exponent = keyNegative, 0xff, ^exponent
	}
	dst = binary.BigEndian.AppendUint16(append(dst, sign), exponent)
	for i := 0; i < len(digits); i += 2 {
		pair := 10 * (digits[i] - '0')
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		dst = append(dst, (pair+1)^flip)
	}
	if negative {
		dst = append(dst, 0xff)
	}
	return dst, true
}
