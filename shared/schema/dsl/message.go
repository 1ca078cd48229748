package dsl

import (
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"

	"svc/shared/schema"
)

// issuesOf turns messages of the bundler into issues.
func (r *resolver) issuesOf(messages []api.Message) []Issue {
	var issues []Issue
	for _, m := range messages {
		if len(issues) == maxIssues {
			break
		}
		issue := Issue{Code: CodeSyntax, Message: tidy(m)}
		if code, ok := m.Detail.(Code); ok {
			issue.Code = code
		} else if r, ok := refused[m.ID]; ok {
			issue.Code = r.code
		} else if strings.HasPrefix(m.Text, "No matching export") {
			issue.Code = CodeImport
		}
		if l := m.Location; l != nil {
			issue.File = strings.TrimPrefix(l.File, fileSpace+":")
			issue.Line, issue.Column = l.Line, columnOf(l.LineText, l.Column)
		}
		issues = append(issues, r.withinFile(issue))
	}
	return issues
}

// withinFile corrects an issue about the line that load adds to a file: that is the end of the file.
func (r *resolver) withinFile(issue Issue) Issue {
	text, found := r.files[issue.File]
	if !found || issue.Line <= len(lineEnd.Split(text, -1)) {
		return issue
	}
	lines := lineEnd.Split(strings.TrimRight(text, "\r\n"), -1)
	last := lines[len(lines)-1]
	issue.Line, issue.Column = len(lines), columnOf(last, len(last))
	issue.Message = "the file ends in the middle of something: a bracket, a brace or a quote is not closed"
	return issue
}

// lineEnd is what ends a line for the bundler, as for editors.
var lineEnd = regexp.MustCompile(`\r\n|[\n\r\x{2028}\x{2029}]`)

// columnOf turns an offset in bytes into a column as editors count them, in UTF-16 units from 1.
func columnOf(line string, offset int) int {
	column := 1
	for i, r := range line {
		if i >= offset {
			break
		}
		column += utf16.RuneLen(r)
	}
	return column
}

// refused are what the bundler only warns of and what cannot be meant in a schema file, by its names for them; with a text
// where it speaks of things that are none of a schema author's business.
var refused = map[string]struct {
	code Code
	text string
}{
	"assign-to-constant":           {CodeSyntax, ""},
	"assign-to-import":             {CodeSyntax, ""},
	"bigint":                       {CodeValue, "a schema file has no big integers: write a number"},
	"call-import-namespace":        {CodeSyntax, ""},
	"commonjs-variable-in-esm":     {CodeExport, "a schema file exports with export and has no module or exports: write export default collection({ … })"},
	"direct-eval":                  {CodeForbidden, "a schema file has no eval: write the code itself"},
	"duplicate-object-key":         {CodeDuplicate, ""},
	"empty-import-meta":            {CodeForbidden, "a schema file has no import.meta"},
	"import-is-undefined":          {CodeImport, ""},
	"indirect-require":             {CodeImport, noRequire},
	"require-resolve-not-external": {CodeImport, noRequire},
	"unsupported-dynamic-import":   {CodeImport, noRequire},
	"unsupported-require-call":     {CodeImport, noRequire},
}

const noRequire = "a schema file has no require and no import(): write import { … } from \"./file\""

// tidy makes a message of the bundler one about a schema file.
func tidy(m api.Message) string {
	if r := refused[m.ID]; r.text != "" {
		return r.text
	}
	text := strings.ReplaceAll(m.Text, "\""+fileSpace+":", "\"")
	text = strings.ReplaceAll(text, "\""+moduleSpace+":"+moduleName+"\"", "\""+moduleName+"\"")
	if strings.HasPrefix(text, "Top-level await") {
		return "a schema file cannot await: nothing in it takes time"
	}
	text = strings.Replace(text, " in the configured target environment (\"es2017\")", " in a schema file", 1)
	if len(m.Notes) > 0 && (strings.HasSuffix(text, ":") || strings.HasPrefix(m.Notes[0].Text, "Did you mean")) {
		text = strings.TrimSuffix(text, ":") + ": " + m.Notes[0].Text
	}
	return shorten(text)
}

// shorten keeps a message that repeats what somebody wrote short, on one line and visible.
func shorten(s string) string {
	const most = 300
	s = oneLine(s)
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// oneLine puts a space for every run of white space, and escapes what else cannot be seen.
func oneLine(s string) string {
	const enough = 4 << 10 // no one reads as much
	s = strings.ToValidUTF8(s[:min(len(s), enough)], "\uFFFD")
	return schema.Visible(strings.Join(strings.Fields(s), " "))
}
