package cli

import "fmt"

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
	codeNoCredential  = "AUTHENTICATION_REQUIRED" // as the service says it
	codeUnreachable   = "UNREACHABLE"
	codeInterrupted   = "INTERRUPTED"
	codeDeclined      = "DECLINED"
	codeFailed        = "FAILED"
)

// failure is the error that ends a command.
type failure struct {
	exit   Exit
	code   string
	detail string
	issues []issue
	// hint says what to do next.
	hint string
	// request is the id of the request, if the fault may be the service's.
	request string
	// entries, sets and fields are the causes of a CONFLICT.
	entries, sets, fields []string
	// reported is set if the command's own output has reported the failure already.
	reported bool
}

// issue is one finding, of a failure or of a validation.
type issue struct {
	File         string `json:"file,omitempty"`
	Line         int    `json:"line,omitzero"`   // of the file, from 1
	Column       int    `json:"column,omitzero"` // of the line, from 1
	ResourceType string `json:"resourceType,omitempty"`
	ResourceID   string `json:"resourceId,omitempty"`
	Path         string `json:"path"`
	Message      string `json:"message"`
	Code         string `json:"code"`
}

func (f *failure) Error() string { return f.code + ": " + f.detail }

// usage is the failure of a call that cannot be carried out as it stands.
func usage(hint, format string, args ...any) *failure {
	return &failure{exit: ExitUsage, code: codeUsage, detail: fmt.Sprintf(format, args...), hint: hint}
}

// misconfigured is the failure of settings that are wrong or missing.
func misconfigured(hint, format string, args ...any) *failure {
	return &failure{exit: ExitUsage, code: codeConfiguration, detail: fmt.Sprintf(format, args...), hint: hint}
}

func failed(format string, args ...any) *failure {
	return &failure{exit: ExitFailed, code: codeFailed, detail: fmt.Sprintf(format, args...)}
}

// hinted adds what to do next.
func (f *failure) hinted(hint string) *failure {
	f.hint = hint
	return f
}

// outcome ends a command that has printed its result with a code, where that is a bad one.
func outcome(bad bool, exit Exit) error {
	if bad {
		return &failure{exit: exit, reported: true}
	}
	return nil
}
