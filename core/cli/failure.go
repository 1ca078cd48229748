package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/core/client"
	"svc/shared/fault"
	"svc/shared/problem"
)

// Exit is the exit code of a command.
type Exit int

// The exit codes. They are part of the command line's contract and never change; help explains them.
const (
	ExitOK          Exit = 0
	ExitFailed      Exit = 1
	ExitUsage       Exit = 2
	ExitCredential  Exit = 3
	ExitValidation  Exit = 4
	ExitUnavailable Exit = 5
)

// Codes of failures that are the client's own; all others are the service's.
const (
	codeUsage         = "USAGE"
	codeConfiguration = "CONFIGURATION"
	codeUnreachable   = "UNREACHABLE"
	codeInterrupted   = "INTERRUPTED"
	codeDeclined      = "DECLINED"
	codeFailed        = "FAILED"
)

// failure is the error that ends a command, as it is printed for machines.
type failure struct {
	Code         string   `json:"code"`
	Detail       string   `json:"detail"`
	Errors       []issue  `json:"errors"`
	EntryIDs     []string `json:"entryIds,omitempty"`
	ChangeSetIDs []string `json:"changeSetIds,omitempty"`
	Fields       []string `json:"fields,omitempty"`
	Hint         string   `json:"hint,omitempty"`      // what to do next, for a person
	RequestID    string   `json:"requestId,omitempty"` // where the fault may be the service's

	exit Exit
	// reported is set if the command's own output has reported the failure already.
	reported bool
	// told is set if a person has been told of it already.
	told bool
}

// issue is one finding, of a failure or of a validation.
type issue struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitzero"`   // of the file, from 1
	Column int    `json:"column,omitzero"` // of the line, from 1
	problem.Issue
	name string // of the resource, for a person; empty: its id
}

func (f *failure) Error() string { return f.Code + ": " + f.Detail }

// usage is the failure of a call that cannot be carried out as it stands.
func usage(hint, format string, args ...any) *failure {
	return &failure{exit: ExitUsage, Code: codeUsage, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// misconfigured is the failure of settings that are wrong or missing.
func misconfigured(hint, format string, args ...any) *failure {
	return &failure{exit: ExitUsage, Code: codeConfiguration, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

func failed(format string, args ...any) *failure {
	return &failure{exit: ExitFailed, Code: codeFailed, Detail: fmt.Sprintf(format, args...)}
}

// hinted adds what to do next.
func (f *failure) hinted(hint string) *failure {
	f.Hint = hint
	return f
}

// name has the failure tell a person of resources by their names.
func (f *failure) name(names resourceNames) {
	for n := range f.Errors {
		i := &f.Errors[n]
		if i.name = names[i.ResourceID]; i.name != "" {
			f.Detail = strings.ReplaceAll(f.Detail, i.ResourceID, i.name)
		}
	}
}

// outcome ends a command that has printed its result with a code, where that is a bad one.
func outcome(bad bool, exit Exit) error {
	if bad {
		return &failure{exit: exit, reported: true}
	}
	return nil
}

// explain makes a failure of any error, with what to do next where that can be told.
func (a *app) explain(err error) *failure {
	var f *failure
	var service *client.Error
	var silent *client.NoAnswer
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &service):
		return a.refused(service)
	case errors.Is(err, context.Canceled):
		return &failure{exit: ExitFailed, Code: codeInterrupted, Detail: "interrupted", Hint: a.uncertain}
	case errors.As(err, &silent):
		api, cause := a.settings.apiURL, silent.Err
		if transport, ok := errors.AsType[*url.Error](cause); ok { // which names the address once more
			cause = transport.Err
		}
		return &failure{
			exit: ExitUnavailable, Code: codeUnreachable, Detail: "no answer from " + api.value + ": " + cause.Error(),
			Hint: cmp.Or(a.uncertain, "is the service running there? The address comes from "+api.from.String()),
		}
	}
	return failed("%v", err)
}

// inFlags names members of requests by the flags that they come from.
var inFlags = strings.NewReplacer("changeSetId", "--change-set", "onConflict", "--on-conflict", "expiresInSeconds", "--expires", "entryId: ", "--entry: ", "; force reverts", "; --force reverts")

// refused is the failure that the service answered with.
func (a *app) refused(e *client.Error) *failure {
	f := &failure{
		exit: exitOf(e), Code: string(e.Code), Detail: inFlags.Replace(e.Detail), Errors: issuesOf(e.Errors), Hint: a.hint(e),
		EntryIDs: e.EntryIDs, ChangeSetIDs: e.ChangeSetIDs, Fields: e.Fields,
	}
	if e.Status >= 500 {
		f.RequestID = e.RequestID
	}
	return f
}

func exitOf(e *client.Error) Exit {
	switch e.Code {
	case fault.AuthenticationRequired, fault.Forbidden:
		return ExitCredential
	case fault.ValidationFailed, fault.PublishValidationFailed, fault.SchemaChangeDestructive:
		return ExitValidation
	case fault.Unavailable, fault.RateLimited:
		return ExitUnavailable
	}
	if slices.Contains([]int{502, 503, 504}, e.Status) {
		return ExitUnavailable
	}
	return ExitFailed
}

func (a *app) hint(e *client.Error) string {
	s := a.settings
	again := "try again in " + max(e.RetryAfter, time.Second).String()
	switch e.Code {
	case fault.AuthenticationRequired:
		return "the token comes from " + s.token.from.String() + "; an administrator can mint a new API key"
	case fault.Forbidden:
		return `"svc whoami" shows what the credential may do`
	case fault.NotFound:
		if a.project != "" && strings.Contains(e.Detail, "no such project") { // everything else was looked for in it
			return "the project is " + s.project.value + ", from " + s.project.from.String()
		}
	case fault.SchemaChangeDestructive:
		return a.inFull + "; --allow-destructive accepts the loss"
	case fault.RateLimited: // refused before anything began
		return again
	case fault.Unavailable:
		return strings.Join(nonEmpty(a.uncertain, again), "; ")
	case client.Unexpected:
		address := "is " + s.apiURL.value + " the API of the service? The address comes from " + s.apiURL.from.String()
		return strings.Join(nonEmpty(a.uncertain, address), "; ")
	}
	return ""
}

func issuesOf(found []problem.Issue) []issue {
	issues := make([]issue, len(found))
	for i, f := range found {
		issues[i].Issue = f
	}
	return issues
}
