package api

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/value"
)

const typeJSON = "application/json"

// bind reads the JSON body into in. The body must be a JSON object of type application/json within the route's limit,
// strictly well-formed, and have no member that in does not know.
func (c *call) bind(in any) error {
	data, err := c.body()
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return fault.Invalid("body", "is missing; this request needs a JSON object")
	}
	return decode(data, in)
}

// bindNothing reads the body of a request that has nothing to say: none, or an empty object.
func (c *call) bindNothing() error {
	data, err := c.body()
	if err != nil || len(data) == 0 {
		return err
	}
	return decode(data, &struct{}{})
}

// decode reads a JSON object from outside.
func decode(data []byte, in any) error {
	strict, err := value.Intake(data, "")
	if err != nil {
		return aboutBody(err)
	}
	if strict.Kind() != '{' {
		return fault.Invalid("body", "must be a JSON object")
	}
	if err := json.Unmarshal(strict, in, json.RejectUnknownMembers(true)); err != nil {
		return decodeFault(err)
	}
	return nil
}

// aboutBody gives a fault about the body as a whole a path.
func aboutBody(err error) error {
	f := fault.As(err)
	if len(f.Items) == 1 && f.Items[0].Path == "" {
		f.Items[0].Path = "body"
		f.Detail = "body: " + f.Items[0].Message
	}
	return f
}

// body reads the whole body once.
func (c *call) body() ([]byte, error) {
	if c.raw != nil {
		return c.raw, nil
	}
	r := c.gin.Request
	if r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > 0 {
		if err := c.requireType(typeJSON); err != nil {
			return nil, err
		}
	}
	limit := c.route.limit()
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	if err := c.reserve(r.ContentLength, limit); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.gin.Writer, r.Body, limit))
	if err != nil {
		return nil, bodyFault(err, limit)
	}
	if len(data) > 0 {
		if err := c.requireType(typeJSON); err != nil {
			return nil, err
		}
	}
	c.raw = value.TrimBOM(data)
	return c.raw, nil
}

func (c *call) requireType(want string) error {
	header := c.gin.GetHeader("Content-Type")
	if got, _, err := mime.ParseMediaType(header); err != nil || got != want {
		return fault.New(fault.UnsupportedMediaType, "the body's Content-Type is %q; it must be %s", header, want)
	}
	return nil
}

// bodyFault says why a body could not be read.
func bodyFault(err error, limit int64) error {
	var over *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &over):
		return tooLarge(limit)
	case errors.As(err, &network) && network.Timeout():
		return fault.New(fault.ValidationFailed, "the request body came too slowly")
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: "the request body ended before its declared length", Err: err}
}

func tooLarge(limit int64) error {
	return fault.New(fault.PayloadTooLarge, "the request body is larger than %d MiB", limit>>20)
}

// decodeFault says in the caller's words why a body does not fit.
func decodeFault(err error) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return fault.Invalid("body", "is not well-formed JSON")
	}
	path := pointerPath(string(semantic.JSONPointer))
	if errors.Is(err, json.ErrUnknownName) {
		return fault.Invalid(path, "is not a member of this request body")
	}
	return fault.Invalid(path, "must be %s", expected(semantic))
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
