package api

import (
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// optional is a member that a body may leave out (nil) but not set to null: treated as absent, null would be an edit that
// silently does nothing, or a guard that is off.
type optional[T any] struct{ value *T }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (g *optional[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == 'n' {
		return &json.SemanticError{JSONPointer: d.StackPointer(), JSONKind: 'n', GoType: reflect.TypeFor[T]()}
	}
	g.value = new(T)
	return json.UnmarshalDecode(d, g.value)
}

// clearable is a text that null clears, as empty text does; an absent one is nil.
type clearable struct{ text *string }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *clearable) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	c.text = new(string)
	return json.UnmarshalDecode(d, c.text)
}

// named returns an id that a body may leave out, but not leave empty: an empty one is a caller's unset variable, and
// taking it for none would switch off what the id was to guard.
func named(path string, id *string) (string, error) {
	if id != nil && *id == "" {
		return "", fault.Invalid(path, "must not be empty; leave it out for none")
	}
	return deref(id), nil
}

// deref returns what p points to, or the zero value.
func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
