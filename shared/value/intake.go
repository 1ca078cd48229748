package value

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
)

// MaxDepth is how deep JSON from outside may be nested.
const MaxDepth = 64

// Intake checks one JSON value from outside and returns it in compact form. It refuses, as VALIDATION_FAILED with
// the place: what is not JSON, invalid UTF-8, repeated members, lone surrogates, the character NUL, nesting beyond
// MaxDepth, and numbers beyond schema.MaxNumberDigits and schema.MaxNumberExponent. path is what the value is
// called, such as "fields" or "data".
func Intake(data []byte, path string) (jsontext.Value, error) {
	compact, err := jsontext.AppendFormat(make([]byte, 0, len(data)), data, jsontext.PreserveRawStrings(false))
	if err != nil {
		return nil, syntaxFault(err, path)
	}
	if at, message := inspect(compact); message != "" {
		return nil, refusal(pathOf(path, pointerAt(compact, at)), message)
	}
	return compact, nil
}

// ParseObject is Intake for a value that must be an object, such as the field values of an entry.
func ParseObject(data []byte, path string) (jsontext.Value, error) {
	compact, err := Intake(data, path)
	if err == nil && compact.Kind() != '{' {
		return nil, refusal(path, "must be an object")
	}
	return compact, err
}

func refusal(path, message string) error {
	return &fault.Error{
		Code:   fault.ValidationFailed,
		Detail: strings.TrimSpace(path + " " + message),
		Items:  []fault.Item{{Path: path, Code: string(schema.CodeSyntax), Message: message}},
	}
}

func syntaxFault(err error, path string) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return refusal(path, "is not valid JSON: "+err.Error())
	}
	path = pathOf(path, syntactic.JSONPointer)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return refusal(path, "is given twice")
	}
	return refusal(path, "is not valid JSON: "+syntactic.Err.Error()+" at byte "+strconv.FormatInt(syntactic.ByteOffset, 10))
}

// pointerAt names the innermost value of compact JSON that holds the byte at this offset.
func pointerAt(compact []byte, at int) jsontext.Pointer {
	d := jsontext.NewDecoder(bytes.NewReader(compact))
	for d.InputOffset() <= int64(at) {
		if _, err := d.ReadToken(); err != nil {
			break // nested deeper than the decoder goes
		}
	}
	return d.StackPointer()
}

// inspect looks through compact JSON for what JSON allows and the service does not; it returns where and what.
func inspect(b []byte) (at int, message string) {
	depth := 0
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		case '"':
			end := skipString(b, i)
			if end < 0 {
				return i, "is not valid JSON"
			}
			if hasNUL(b[i:end]) {
				return i, "must not contain the character NUL"
			}
			i = end
			continue
		case '{', '[':
			if depth++; depth > MaxDepth {
				return i, "is nested deeper than " + strconv.Itoa(MaxDepth)
			}
		case '}', ']':
			depth--
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := skip(b, i)
			if err := schema.CheckNumber(b[i:end]); err != nil {
				return i, err.Error()
			}
			i = end
			continue
		}
		i++
	}
	return 0, ""
}

// hasNUL reports whether a quoted string holds U+0000, which compact form writes as \u0000.
func hasNUL(quoted []byte) bool {
	if !bytes.Contains(quoted, []byte(`\u0000`)) {
		return false
	}
	text, _ := schema.Unquote(quoted)
	return bytes.IndexByte(text, 0) >= 0
}

// escaped reports whether an odd number of backslashes stands before b[i].
func escaped(b []byte, i int) bool {
	n := 0
	for i-n > 0 && b[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// BOM is the byte order mark in UTF-8.
const BOM = "\uFEFF"

// TrimBOM returns a file or body without the byte order mark that some editors begin it with. Anywhere else the character
// is one like any other, a second one included.
func TrimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte(BOM)) }
