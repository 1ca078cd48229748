package dsl

import (
	"fmt"
	"slices"
	"strings"

	"svc/shared/schema"
)

// Code says what kind of fault an Issue is. Faults of the declared schemas carry the codes of package schema.
type Code string

// The codes of faults that are found before there is a schema to check.
const (
	CodeSyntax      = Code(schema.CodeSyntax)    // not TypeScript or JavaScript
	CodeImport      = Code("import")             // an import of what a schema file cannot have
	CodeExport      = Code("export")             // an export that is no collection where one is expected
	CodeValue       = Code("value")              // a value that no schema can hold, such as a function
	CodeThrown      = Code("thrown")             // the file threw an error
	CodeForbidden   = Code("forbidden")          // something schema files do not have, such as a clock
	CodeRecursion   = Code("recursion")          // calls nested too deep
	CodeTimeLimit   = Code("time_limit")         // evaluation took too long
	CodeMemoryLimit = Code("memory_limit")       // evaluation took too much memory
	CodeTooLarge    = Code("too_large")          // more files, text or result than a schema folder may have
	CodeFile        = Code("file")               // a file that cannot be taken from the folder
	CodeReplaced    = Code("replaced")           // a warning: a later declaration of the same name counts
	CodeCrash       = Code("crash")              // the evaluation broke down
	CodeDuplicate   = Code(schema.CodeDuplicate) // said twice
)

// Issue is one fault, or one warning, about a schema folder.
type Issue struct {
	// File is the path of the file from the schema folder, with slashes; empty where no single file is at fault.
	File string `json:"file,omitempty"`
	// Line and Column are where in the file, both from 1, columns as editors count them; 0 where not known. For a
	// fault of a schema that is the nearest builder call around it.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Path names the part of the collection, such as "fields.title.maxLength"; empty where it is about the file.
	Path string `json:"path,omitempty"`
	Code Code   `json:"code"`
	// Message says what is wrong and what would be right.
	Message string `json:"message"`
}

// String writes the issue on one line, as compilers do: "posts.ts:3:10: fields.title.maxLenght is no option …".
func (i Issue) String() string {
	var b strings.Builder
	b.WriteString(i.Place())
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if i.Path != "" {
		b.WriteString(i.Path + " ")
	}
	b.WriteString(i.Message)
	return b.String()
}

// Place is where the issue is, as far as known: "posts.ts:3:10", "posts.ts" or "".
func (i Issue) Place() string {
	if i.File == "" || i.Line == 0 {
		return i.File
	}
	return fmt.Sprintf("%s:%d:%d", i.File, i.Line, i.Column)
}

// Error says that a schema folder cannot be loaded, with everything that was found, by file and line.
type Error struct {
	Issues []Issue
}

// Error implements error: one line for every issue.
func (e *Error) Error() string {
	lines := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		lines[i] = issue.String()
	}
	return strings.Join(lines, "\n")
}

// refuse sorts issues by place and makes an error of them; none is nil.
func refuse(issues []Issue) error {
	if len(issues) == 0 {
		return nil
	}
	sortIssues(issues)
	issues = slices.Compact(issues)
	if more := len(issues) - maxIssues; more > 0 {
		issues = append(issues[:maxIssues:maxIssues], Issue{Code: CodeTooLarge, Message: fmt.Sprintf("and %d more faults", more)})
	}
	return &Error{Issues: issues}
}

func sortIssues(issues []Issue) {
	slices.SortStableFunc(issues, func(a, b Issue) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}
