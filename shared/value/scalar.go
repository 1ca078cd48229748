package value

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
)

// Scalar is a value that filters and orders compare. Its kind follows from its field; scalars of one field compare
// with each other.
type Scalar struct {
	kind   schema.FieldType
	text   string // text, slug, date, and the id of a reference or asset
	number *apd.Decimal
	time   time.Time
	truth  bool
}

// Type is the type of the field the scalar belongs to.
func (s Scalar) Type() schema.FieldType { return s.kind }

// Text is the value of a text, slug, date, reference or asset scalar.
func (s Scalar) Text() string { return s.text }

// Number is the exact value of a number scalar. It must not be changed.
func (s Scalar) Number() *apd.Decimal { return s.number }

// Time is the instant of a datetime scalar.
func (s Scalar) Time() time.Time { return s.time }

// Bool is the value of a boolean scalar.
func (s Scalar) Bool() bool { return s.truth }

// ErrNotScalar says that a field's values cannot be compared: see schema.Field.Filterable.
var ErrNotScalar = errors.New("field is not scalar")

// Coerce reads the text of a filter as a value of field f. The error tells a caller what would be right.
func Coerce(f *schema.Field, text string) (Scalar, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Scalar{}, errors.New("must be UTF-8 without the character NUL")
	}
	s := Scalar{kind: f.Type, text: text}
	var err error
	switch f.Type {
	case schema.TypeText, schema.TypeSlug:
	case schema.TypeReference:
		_, err = content.ParseID[content.EntryID](text)
	case schema.TypeAsset:
		_, err = content.ParseID[content.AssetID](text)
	case schema.TypeNumber:
		s.text = ""
		s.number, err = schema.ParseNumber(text)
	case schema.TypeBoolean:
		s.text, s.truth = "", text == "true"
		if text != "true" && text != "false" {
			err = fmt.Errorf("%s is neither true nor false", schema.Quote(text))
		}
	case schema.TypeDate:
		_, err = schema.ParseDate(text)
	case schema.TypeDatetime:
		s.text = ""
		s.time, err = schema.ParseDatetime(strings.Replace(text, " ", "+", 1)) // a + in a query is a space
	default:
		err = ErrNotScalar
	}
	if err != nil {
		return Scalar{}, err
	}
	return s, nil
}

// ScalarOf reads a stored value of field f, in one locale where the field is localized. raw is in compact form and
// neither nil nor null. A stored value that does not fit the type of the field is an error.
func ScalarOf(f *schema.Field, raw jsontext.Value) (Scalar, error) {
	switch raw.Kind() {
	case '"':
		text, ok := schema.Unquote(raw)
		if !ok {
			return Scalar{}, ErrForm
		}
		switch ClassOf(f) {
		case ClassText: // ids were checked when they were stored
			return Scalar{kind: f.Type, text: string(text)}, nil
		case ClassDate:
			return Coerce(f, string(text))
		case ClassDatetime:
			instant, err := schema.ParseDatetime(string(text))
			return Scalar{kind: f.Type, time: instant}, err
		}
	case '0', 't', 'f':
		if number := raw.Kind() == '0'; number && f.Type == schema.TypeNumber || !number && f.Type == schema.TypeBoolean {
			return Coerce(f, string(raw))
		}
	}
	if !f.Filterable() {
		return Scalar{}, ErrNotScalar
	}
	return Scalar{}, fmt.Errorf("stored value of field %s is no %s", f.Key, f.Type)
}

// Compare orders two scalars of one field: text by code point, numbers exactly, dates and instants by time, false
// before true.
func Compare(a, b Scalar) int {
	switch a.kind {
	case schema.TypeNumber:
		return a.number.Cmp(b.number)
	case schema.TypeDatetime:
		return a.time.Compare(b.time)
	case schema.TypeBoolean:
		return cmp.Compare(bit(a.truth), bit(b.truth))
	}
	return strings.Compare(a.text, b.text) // UTF-8 keeps the order of code points, ISO dates that of days
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
