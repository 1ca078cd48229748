// Package fault holds the one error type that crosses package borders. Its codes are the codes of the
// interface ("Errors"); it knows nothing of HTTP, which is the business of package problem.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is an error code as it appears on the wire. Codes are part of the contract and never change.
type Code string

// The codes of the interface, "Errors", and those that the service adds to it.
const (
	ValidationFailed         Code = "VALIDATION_FAILED"
	AuthenticationRequired   Code = "AUTHENTICATION_REQUIRED"
	PlanLimitReached         Code = "PLAN_LIMIT_REACHED"
	Forbidden                Code = "FORBIDDEN"
	ReauthenticationRequired Code = "REAUTHENTICATION_REQUIRED"
	NotFound                 Code = "NOT_FOUND"
	MethodNotAllowed         Code = "METHOD_NOT_ALLOWED"
	Conflict                 Code = "CONFLICT"
	StaleRevision            Code = "STALE_REVISION"
	SchemaChangeDestructive  Code = "SCHEMA_CHANGE_DESTRUCTIVE"
	ApprovalRequired         Code = "APPROVAL_REQUIRED"
	ChecksFailed             Code = "CHECKS_FAILED"
	PayloadTooLarge          Code = "PAYLOAD_TOO_LARGE"
	UnsupportedMediaType     Code = "UNSUPPORTED_MEDIA_TYPE"
	PublishValidationFailed  Code = "PUBLISH_VALIDATION_FAILED"
	RateLimited              Code = "RATE_LIMITED"
	Internal                 Code = "INTERNAL"
	Unavailable              Code = "UNAVAILABLE"
)

// Codes lists every code.
func Codes() []Code {
	return []Code{
		ValidationFailed, AuthenticationRequired, PlanLimitReached, Forbidden, ReauthenticationRequired, NotFound,
		MethodNotAllowed, Conflict, StaleRevision, SchemaChangeDestructive, ApprovalRequired, ChecksFailed,
		PayloadTooLarge, UnsupportedMediaType, PublishValidationFailed, RateLimited, Internal, Unavailable,
	}
}

// Item is one finding of a fault that lists several, such as a field that does not fit its schema.
type Item struct {
	// Path names what is wrong, such as "fields.sections[2].title" or "limit".
	Path string
	// Message tells a person what would be right.
	Message string
	// Code is a validation code, such as "required", "too_deep" or "reference_unpublished".
	Code string
	// ResourceType and ResourceID name the resource where the list spans several (validate and publish).
	ResourceType string
	ResourceID   string
}

// String is the finding on one line: what it is about, then the message, such as "fields.title: is required".
func (i Item) String() string {
	about := strings.TrimSpace(i.ResourceID + " " + i.Path)
	if about == "" {
		return i.Message
	}
	return about + ": " + i.Message
}

// Error is a failure with a stable code. Detail is shown to callers; Err never is.
type Error struct {
	Code   Code
	Detail string
	Items  []Item

	EntryIDs     []string // entries that stand in the way (CONFLICT)
	ChangeSetIDs []string // candidate change sets (CONFLICT)
	Fields       []string // contended fields (CONFLICT)
	Methods      []string // proofs that would do (REAUTHENTICATION_REQUIRED)

	// CanonicalSlug is the slug an entry has now, on a NOT_FOUND for one it had before.
	CanonicalSlug string
	// RetryAfter is when to try again, for RATE_LIMITED and UNAVAILABLE.
	RetryAfter time.Duration
	// Err is the cause, for logs only.
	Err error
}

// Error implements error; it includes the cause and is meant for logs.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Detail, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns a fault with a formatted detail.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Invalid returns a VALIDATION_FAILED about one path.
func Invalid(path, format string, args ...any) *Error {
	item := Item{Path: path, Code: "invalid", Message: fmt.Sprintf(format, args...)}
	return &Error{Code: ValidationFailed, Detail: item.String(), Items: []Item{item}}
}

// Wrap returns an INTERNAL fault around err, or err itself where it already carries a fault. What was being
// done goes to the log, never to the caller.
func Wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Code: Internal, Detail: "an internal error occurred", Err: fmt.Errorf("%s: %w", doing, err)}
}

// As returns the fault that err carries; any other error becomes an INTERNAL fault around it.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Error](err); ok {
		return f
	}
	return &Error{Code: Internal, Detail: "an internal error occurred", Err: err}
}

// Is reports whether err carries a fault with this code.
func Is(err error, code Code) bool {
	f, ok := errors.AsType[*Error](err)
	return ok && f.Code == code
}
