// Package problem turns faults into HTTP answers: a status, headers and an application/problem+json body
// (RFC 9457; interface, "Errors"). It knows no HTTP library, so every server renders failures alike.
package problem

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// ContentType is the media type of every problem body.
const ContentType = "application/problem+json"

// typePrefix starts the "type" of a problem; the kind in lower case follows.
const typePrefix = "urn:svc:problem:"

// Header is one response header. Name is in canonical form, such as Svc-Release, so that servers need not bring it there.
type Header struct{ Name, Value string }

// Answer is a failure as it goes over the wire.
type Answer struct {
	Status  int
	Headers []Header
	Body    []byte
}

// Document is the body of a problem (contract, "Errors").
type Document struct {
	Type          string     `json:"type"`
	Title         string     `json:"title"`
	Status        int        `json:"status"`
	Code          fault.Code `json:"code"`
	Detail        string     `json:"detail"`
	RequestID     string     `json:"requestId,omitempty"`
	Errors        []Issue    `json:"errors,omitempty"`
	EntryIDs      []string   `json:"entryIds,omitempty"`
	ChangeSetIDs  []string   `json:"changeSetIds,omitempty"`
	Fields        []string   `json:"fields,omitempty"`
	Methods       []string   `json:"methods,omitempty"`
	CanonicalSlug string     `json:"canonicalSlug,omitempty"`
}

// Issue is one fault of a request or a change set.
type Issue struct {
	Path         string `json:"path"`
	Message      string `json:"message"`
	Code         string `json:"code,omitempty"`
	ResourceType string `json:"resourceType,omitempty"`
	ResourceID   string `json:"resourceId,omitempty"`
}

// Render returns what a caller sees of err. An error without a fault, and a fault with an unknown code, answer
// INTERNAL with a fixed detail. Every answer is no-store; a 401 names the scheme, and RATE_LIMITED and
// UNAVAILABLE carry Retry-After in whole seconds, at least one.
func Render(err error, requestID string) Answer { return RenderAs(0, err, requestID) }

// RenderAs is Render under another status than that of the code: one of those that HTTP itself has for requests that
// cannot be read, such as 408 or 431.
func RenderAs(status int, err error, requestID string) Answer {
	f := fault.As(err)
	if f == nil {
		f = &fault.Error{Code: fault.Internal}
	}
	code, k := kindOf(f.Code)
	if status == 0 {
		status = k.status
	}
	detail := f.Detail
	if code != f.Code || detail == "" {
		detail = k.title
	}
	body, err := json.Marshal(Document{
		Type: typePrefix + k.uri, Title: k.title, Status: status, Code: code, Detail: detail, RequestID: requestID,
		Errors: Issues(f.Items), EntryIDs: f.EntryIDs, ChangeSetIDs: f.ChangeSetIDs, Fields: f.Fields,
		Methods: f.Methods, CanonicalSlug: f.CanonicalSlug,
	}, jsontext.AllowInvalidUTF8(true)) // details quote what callers sent
	if err != nil {
		panic("problem: a struct of strings does not marshal: " + err.Error())
	}
	return Answer{Status: status, Headers: headers(code, f.RetryAfter), Body: body}
}

// Issues are the findings of a fault as they go over the wire.
func Issues(found []fault.Item) []Issue {
	out := make([]Issue, len(found))
	for i, f := range found {
		out[i] = Issue(f)
	}
	return out
}

func headers(code fault.Code, retry time.Duration) []Header {
	out := []Header{{"Content-Type", ContentType}, {"Cache-Control", "no-store"}}
	switch code {
	case fault.AuthenticationRequired:
		out = append(out, Header{"Www-Authenticate", "Bearer"})
	case fault.RateLimited, fault.Unavailable:
		seconds := max(1, int64((retry+time.Second-1)/time.Second))
		out = append(out, Header{"Retry-After", strconv.FormatInt(seconds, 10)})
	}
	return out
}

type kind struct {
	status int
	uri    string
	title  string
}

// kinds is the one table from code to HTTP status. A code that is missing here answers as INTERNAL; a test
// holds the table against fault.Codes.
var kinds = map[fault.Code]kind{
	fault.ValidationFailed:         {400, "validation-failed", "The request is not valid"},
	fault.AuthenticationRequired:   {401, "authentication-required", "A valid credential is required"},
	fault.PlanLimitReached:         {402, "plan-limit-reached", "The plan does not allow more of this"},
	fault.Forbidden:                {403, "forbidden", "The credential does not allow this"},
	fault.ReauthenticationRequired: {403, "reauthentication-required", "A fresh proof of identity is required"},
	fault.NotFound:                 {404, "not-found", "There is no such resource"},
	fault.MethodNotAllowed:         {405, "method-not-allowed", "The resource does not take this method"},
	fault.Conflict:                 {409, "conflict", "The state of the resource does not allow this"},
	fault.StaleRevision:            {409, "stale-revision", "The resource has changed since"},
	fault.SchemaChangeDestructive:  {409, "schema-change-destructive", "The schema change would destroy content"},
	fault.ApprovalRequired:         {409, "approval-required", "Approvals are missing"},
	fault.ChecksFailed:             {409, "checks-failed", "Checks are missing or have failed"},
	fault.PayloadTooLarge:          {413, "payload-too-large", "The body is too large"},
	fault.UnsupportedMediaType:     {415, "unsupported-media-type", "The body has a type that is not taken here"},
	fault.PublishValidationFailed:  {422, "publish-validation-failed", "The change set does not validate"},
	fault.RateLimited:              {429, "rate-limited", "Too many requests"},
	fault.Internal:                 {500, "internal", "An internal error occurred"},
	fault.Unavailable:              {503, "unavailable", "The service cannot answer at the moment"},
}

func kindOf(code fault.Code) (fault.Code, kind) {
	if k, ok := kinds[code]; ok {
		return code, k
	}
	return fault.Internal, kinds[fault.Internal]
}

// Status returns the HTTP status of a code; 500 for one that is none.
func Status(code fault.Code) int {
	_, k := kindOf(code)
	return k.status
}
