package api

import (
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// pointerPath writes a JSON pointer the way paths of faults are written: /errors/0/path is errors[0].path.
func pointerPath(pointer string) string {
	var b strings.Builder
	for token := range jsontext.Pointer(pointer).Tokens() {
		switch {
		case strings.Trim(token, "0123456789") == "" && b.Len() > 0:
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	if b.Len() == 0 {
		return "body"
	}
	return b.String()
}

// expected names what a Go type reads from JSON.
func expected(e *json.SemanticError) string {
	t := e.GoType
	if t == nil {
		return "another value"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "an RFC 3339 date and time with an offset"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return "an integer"
	case t.Kind() == reflect.Slice:
		return "an array"
	}
	return "an object"
}

// kindName names the JSON value that was found.
func kindName(e *json.SemanticError) string {
	switch e.JSONKind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "this string"
	case '0':
		return "this number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "what was sent"
}
