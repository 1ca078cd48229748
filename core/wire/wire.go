// Package wire is the JSON of the management API as Go types, one for each body. The API encodes them, the client decodes them, and
// the OpenAPI document is derived from them, so that all three agree.
//
// Members that are always there have no "omitempty" or "omitzero"; a pointer is null where there is nothing. In requests, Optional and
// Clearable tell a member that is absent from one that is null.
package wire

import (
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
)

// Envelope is the response of most routes.
type Envelope[T any] struct {
	Data T `json:"data"`
}

// List is one page of a list.
type List[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// Pagination says where a list goes on.
type Pagination struct {
	NextCursor *string `json:"nextCursor"` // null on the last page
}

// Time is a point in time: RFC 3339 in UTC with milliseconds. The zero time is null.
type Time struct{ time.Time }

// String is the time as it stands in JSON, without quotes; the zero time is empty.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return content.FormatTime(t.Time)
}

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &t.Time)
}

// Optional is a member that a request may leave out (nil) but not set to null: taken for absent, null would be an edit that
// silently does nothing, or a check that is off.
type Optional[T any] struct{ Value *T }

// Some is a member that a request sets.
func Some[T any](v T) Optional[T] { return Optional[T]{&v} }

// IsZero reports whether the member is left out.
func (o Optional[T]) IsZero() bool { return o.Value == nil }

// MarshalJSONTo implements json.MarshalerTo.
func (o Optional[T]) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, o.Value) }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *Optional[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == 'n' {
		return &json.SemanticError{JSONPointer: d.StackPointer(), JSONKind: 'n', GoType: reflect.TypeFor[T]()}
	}
	o.Value = new(T)
	return json.UnmarshalDecode(d, o.Value)
}

// Clearable is a text that null clears, as empty text does; nil is absent.
type Clearable struct{ Text *string }

// IsZero reports whether the member is left out.
func (c Clearable) IsZero() bool { return c.Text == nil }

// MarshalJSONTo implements json.MarshalerTo.
func (c Clearable) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, c.Text) }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *Clearable) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	c.Text = new(string)
	return json.UnmarshalDecode(d, c.Text)
}

// Meta says what a deployment can do (contract, "Versioning").
type Meta struct {
	Version      int             `json:"version"` // of the API, as in /v1
	Capabilities map[string]bool `json:"capabilities"`
}

// Health is the state of one process.
type Health struct {
	Status  string   `json:"status"`
	Reasons []string `json:"reasons,omitempty"` // why it should get no traffic
}
