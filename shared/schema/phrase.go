package schema

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Unquote returns what a JSON string says; without escapes that is part of raw itself.
func Unquote(raw jsontext.Value) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], true
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	return text, err == nil
}

// KindNoun names a kind of JSON value for a message.
func KindNoun(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "something else"
}

// Count writes a number with its noun, for a message.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
