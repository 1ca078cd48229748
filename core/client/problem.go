package client

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/shared/fault"
	"svc/shared/problem"
)

// Unexpected is the code of an Error where the answer was not one of the API's: no problem body, or no JSON.
const Unexpected fault.Code = "UNEXPECTED"

// Error is a problem that the API answered with.
type Error struct {
	problem.Document

	// RetryAfter is when to try again, where the service said so.
	RetryAfter time.Duration `json:"-"`
}

// NoAnswer is the failure of a request that got no answer, or a part of one.
type NoAnswer struct{ Err error }

func (e *NoAnswer) Error() string { return "no answer from the service: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *NoAnswer) Unwrap() error { return e.Err }

// Error writes the code, the detail and every finding.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Detail)
	for _, i := range e.Errors {
		b.WriteString("\n  " + fault.Item{Path: i.Path, Message: i.Message, ResourceID: i.ResourceID}.String())
	}
	return b.String()
}

func problemOf(response *http.Response, body []byte) error {
	e := &Error{}
	if err := json.Unmarshal(body, e); err != nil || e.Code == "" {
		e = unexpected("the server answered %d without a problem body", response.StatusCode)
	}
	e.Status = response.StatusCode
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

func unexpected(format string, args ...any) *Error {
	return &Error{Document: problem.Document{Code: Unexpected, Detail: fmt.Sprintf(format, args...)}}
}
