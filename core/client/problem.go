package client

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/core/wire"
)

// Unexpected is the code of an Error where the answer was not one of the API's: no problem body, or no JSON.
const Unexpected = "UNEXPECTED"

// Error is a problem that the API answered with.
type Error struct {
	Status       int          `json:"status"`
	Code         string       `json:"code"`
	Detail       string       `json:"detail"`
	RequestID    string       `json:"requestId"`
	Errors       []wire.Issue `json:"errors"`
	EntryIDs     []string     `json:"entryIds"`
	ChangeSetIDs []string     `json:"changeSetIds"`
	Fields       []string     `json:"fields"`

	// RetryAfter is when to try again, where the service said so.
	RetryAfter time.Duration `json:"-"`
}

// Error writes the code, the detail and every finding.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Detail)
	for _, i := range e.Errors {
		b.WriteString("\n  ")
		if i.ResourceID != "" {
			b.WriteString(i.ResourceID + " ")
		}
		if i.Path != "" {
			b.WriteString(i.Path + ": ")
		}
		b.WriteString(i.Message)
	}
	return b.String()
}

func problemOf(response *http.Response, body []byte) error {
	e := &Error{}
	if err := json.Unmarshal(body, e); err != nil || e.Code == "" {
		e = &Error{Code: Unexpected, Detail: fmt.Sprintf("the server answered %d without a problem body", response.StatusCode)}
	}
	e.Status = response.StatusCode
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
