package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/fault"
)

// explain makes a failure of any error, with what to do next where that can be told.
func (a *app) explain(err error) *failure {
	var f *failure
	var service *client.Error
	var transport *url.Error
	var network net.Error
	var file *fs.PathError
	var files *os.LinkError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &service):
		return a.refused(service)
	case errors.Is(err, context.Canceled):
		return &failure{exit: ExitFailed, code: codeInterrupted, detail: "interrupted", hint: a.uncertain}
	case errors.As(err, &transport):
		return a.unreachable(transport.Err)
	case errors.As(err, &file), errors.As(err, &files): // the system's errors look like the network's
		return failed("%v", err)
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF):
		return a.unreachable(err)
	}
	return failed("%v", err)
}

// unreachable is the failure of a request that got no answer.
func (a *app) unreachable(err error) *failure {
	where := a.settings.apiURL
	f := &failure{
		exit: ExitUnavailable, code: codeUnreachable, detail: "no answer from " + where.value + ": " + err.Error(),
		hint: cmp.Or(a.uncertain, "is that the service? The address comes from "+where.from.String()),
	}
	var dial *net.OpError
	var network net.Error
	if errors.As(err, &dial) && dial.Op == "dial" {
		f.detail = "cannot reach " + where.value + ": " + err.Error()
		f.hint = "is the service running there? The address comes from " + where.from.String()
	} else if errors.As(err, &network) && network.Timeout() {
		f.detail = "no answer from " + where.value + " in time"
	}
	return f
}

// refused is the failure that the service answered with.
func (a *app) refused(e *client.Error) *failure {
	f := &failure{
		exit: exitOf(e), code: e.Code, detail: inFlags(e), issues: issuesOf(e.Errors), hint: a.hint(e),
		entries: e.EntryIDs, sets: e.ChangeSetIDs, fields: e.Fields,
	}
	if e.Status >= 500 {
		f.request = e.RequestID
	}
	return f
}

// inFlags is the detail of a refusal with the flag of this program in the place of the member of the request.
func inFlags(e *client.Error) string {
	if fault.Code(e.Code) != fault.SchemaChangeDestructive {
		return e.Detail
	}
	return strings.ReplaceAll(e.Detail, "allowDestructive", "--allow-destructive")
}

func exitOf(e *client.Error) Exit {
	switch fault.Code(e.Code) {
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
	switch fault.Code(e.Code) {
	case fault.AuthenticationRequired:
		return "the token comes from " + s.token.from.String() + "; an administrator can mint a new API key"
	case fault.Forbidden:
		return a.typed("whoami") + " shows what the credential may do"
	case fault.NotFound:
		if a.project != "" {
			return "the project is " + s.project.value + ", from " + s.project.from.String() + a.farDown()
		}
	case fault.SchemaChangeDestructive:
		if inFlags(e) != e.Detail {
			return a.inFull
		}
		return strings.Join(nonEmpty(a.inFull, "--allow-destructive accepts the loss"), "; ")
	case fault.PublishValidationFailed:
		return a.inFull
	case fault.Unavailable, fault.RateLimited:
		when := "in a moment"
		if e.RetryAfter > 0 {
			when = "in " + e.RetryAfter.Round(time.Second).String()
		}
		if e.Code == string(fault.RateLimited) { // refused before anything began
			return "try again " + when
		}
		return strings.Join(nonEmpty(a.uncertain, "try again "+when, a.meanwhile), "; ")
	case client.Unexpected:
		hint := "is " + s.apiURL.value + " the API of the service? The address comes from " + s.apiURL.from.String()
		if e.Status >= 500 && a.uncertain != "" {
			hint = a.uncertain + "; " + hint
		}
		return hint
	}
	return ""
}

// farDown adds the API's address where it has a path: what is not found may be missing there.
func (a *app) farDown() string {
	api := a.settings.apiURL
	if u, err := url.Parse(api.value); err != nil || u.Path == "" {
		return ""
	}
	return "; the address of the API, " + api.value + ", from " + api.from.String() + ", has a path: is it right?"
}

func issuesOf(found []wire.Issue) []issue {
	issues := make([]issue, 0, len(found))
	for _, i := range found {
		issues = append(issues, issue{
			ResourceType: i.ResourceType, ResourceID: i.ResourceID, Path: i.Path, Message: i.Message, Code: i.Code,
		})
	}
	return issues
}
