package api

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/go-json-experiment/json"

	"svc/shared/fault"
	"svc/shared/value"
)

// bind reads the JSON body into in. The body must be application/json within the route's limit, strictly
// well-formed, and have no member that in does not know.
func (c *call) bind(in any) error {
	data, err := c.body()
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return fault.New(fault.ValidationFailed, "the request needs a JSON body")
	}
	strict, err := value.Intake(data, "")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(strict, in, json.RejectUnknownMembers(true)); err != nil {
		return decodeFault(err)
	}
	return nil
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
	limit := c.route.limit
	if limit == 0 {
		limit = bodyLimit
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.gin.Writer, r.Body, limit))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, fault.New(fault.ValidationFailed, "the request body ended before its declared length")
	}
	if len(data) > 0 && c.route.do.in != nil {
		if err := c.requireType("application/json"); err != nil {
			return nil, err
		}
	}
	c.raw = data
	return data, nil
}

func (c *call) requireType(want string) error {
	header := c.gin.GetHeader("Content-Type")
	if got, _, err := mime.ParseMediaType(header); err != nil || got != want {
		return fault.New(fault.UnsupportedMediaType, "the body's Content-Type is %q; it must be %s", header, want)
	}
	return nil
}

func tooLarge(limit int64) *fault.Error {
	return fault.New(fault.PayloadTooLarge, "the request body is larger than %d MiB", limit>>20)
}

// decodeFault says in the caller's words why a body does not fit.
func decodeFault(err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		path := pointerPath(string(semantic.JSONPointer))
		if errors.Is(err, json.ErrUnknownName) {
			return fault.Invalid(path, "is not a member of this request body")
		}
		var f *fault.Error
		if errors.As(err, &f) {
			return f
		}
		return fault.Invalid(path, "must be %s, not %s", expected(semantic), kindName(semantic))
	}
	return fault.New(fault.ValidationFailed, "the request body is not well-formed JSON")
}
