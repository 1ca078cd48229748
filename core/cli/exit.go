package cli

import "strings"

// Exit is the exit code of a command.
type Exit int

// The exit codes. They are part of the command line's contract and never change.
const (
	ExitOK          Exit = 0
	ExitFailed      Exit = 1
	ExitUsage       Exit = 2
	ExitCredential  Exit = 3
	ExitValidation  Exit = 4
	ExitUnavailable Exit = 5
)

// exits says what each code means, for help.
var exits = []struct {
	code  Exit
	short string
	long  string
}{
	{ExitOK, "ok", "done"},
	{ExitFailed, "failed", "failed, or was declined or interrupted"},
	{ExitUsage, "usage", "called or configured wrongly; nothing was sent"},
	{ExitCredential, "credential", "the credential is missing, is not taken by the service, or may not do this"},
	{ExitValidation, "validation", "schemas, content or a change set were checked and refused"},
	{ExitUnavailable, "unavailable", "the service cannot be reached, or cannot answer at the moment"},
}

// exitTable explains every code, a line each.
func exitTable() string {
	var b strings.Builder
	for _, e := range exits {
		b.WriteString("\n  " + string('0'+rune(e.code)) + "  " + e.long)
	}
	return b.String()
}

// exitLine names every code in one line.
func exitLine() string {
	var parts []string
	for _, e := range exits {
		parts = append(parts, string('0'+rune(e.code))+" "+e.short)
	}
	return strings.Join(parts, ", ")
}
