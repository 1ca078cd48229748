package cli

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema/dsl"
)

// version is the version of the machine output (interface, "Versioning").
const version = 1

// maxShown is how many findings an error shows to a person; --json has them all.
const maxShown = 20

type success struct {
	Version int `json:"version"`
	Data    any `json:"data"`
	// Warnings are about schema files that were taken as they are.
	Warnings []issue `json:"warnings,omitempty"`
}

type refusal struct {
	Version int       `json:"version"`
	Error   errorBody `json:"error"`
	// Warnings are those of a success.
	Warnings []issue `json:"warnings,omitempty"`
}

type errorBody struct {
	Code         string   `json:"code"`
	Detail       string   `json:"detail"`
	Errors       []issue  `json:"errors"`
	EntryIDs     []string `json:"entryIds,omitempty"`
	ChangeSetIDs []string `json:"changeSetIds,omitempty"`
	Fields       []string `json:"fields,omitempty"`
	Hint         string   `json:"hint,omitempty"` // what to do next, for a person
	RequestID    string   `json:"requestId,omitempty"`
}

// answer prints the result of a command: data for a machine, or what show writes for a person, and what there is to warn
// of at its end.
func (a *app) answer(data any, show func(p *page)) error {
	defer a.showWarnings()
	if a.asJSON {
		return a.printJSON(success{version, data, a.warnings})
	}
	p := a.newPage(a.OutTerminal)
	show(p)
	if _, err := fmt.Fprint(a.Out, p.String()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// reply asks the service, and prints the answer.
func reply[T any](a *app, what string, question func() (T, error), show func(T, *page)) error {
	answer, err := ask(a, what, question)
	if err != nil {
		return err
	}
	return a.answer(answer, func(p *page) { show(answer, p) })
}

func (a *app) printJSON(v any) error {
	line, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) // paths may be any bytes
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	if _, err := fmt.Fprintf(a.Out, "%s\n", line); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// report prints a failure: as text on standard error, and as JSON on standard output with --json.
func (a *app) report(f *failure) error {
	if f.reported {
		return nil
	}
	a.showWarnings()
	a.tell(f.show)
	if !a.asJSON {
		return nil
	}
	issues := f.issues
	if issues == nil {
		issues = []issue{}
	}
	return a.printJSON(refusal{version, errorBody{f.code, f.detail, issues, f.entries, f.sets, f.fields, f.hint, f.request}, a.warnings})
}

func (f *failure) show(p *page) {
	p.labelled(red+bold, "error:", f.detail+" ["+f.code+"]")
	if len(f.issues) != 1 || f.issues[0].File != "" || !strings.Contains(f.detail, f.issues[0].Message) {
		p.issues(f.issues)
	}
	for _, list := range []struct {
		name string
		ids  []string
	}{{"entries", f.entries}, {"change sets", f.sets}, {"fields", f.fields}} {
		if len(list.ids) > 0 {
			p.line("  %s: %s", list.name, strings.Join(list.ids, ", "))
		}
	}
	if f.hint != "" {
		p.labelled(cyan, "hint:", f.hint)
	}
	if f.request != "" {
		p.line("%s", p.paint(dim, "request "+f.request))
	}
}

// issues lists findings, and says how many more there are.
func (p *page) issues(issues []issue) {
	for i, it := range issues {
		if i == maxShown {
			p.line("  and %s more; --json lists them all", count(len(issues)-i))
			return
		}
		p.line("  %s", p.wrap(it.text(), len(gap)))
	}
}

// text is a finding in one line: where it is and what.
func (i issue) text() string { return strings.Join(nonEmpty(i.place(), i.what()), gap) }

// what is the message, with the code in parentheses.
func (i issue) what() string {
	if i.Code == "" {
		return i.Message
	}
	return i.Message + " (" + i.Code + ")"
}

// place says where a finding is: the file with line and column, or the entry, and the path in it.
func (i issue) place() string {
	file := i.File
	for _, n := range []int{i.Line, i.Column} {
		if n > 0 {
			file += ":" + decimal(uint64(n))
		}
	}
	return strings.Join(nonEmpty(file, i.ResourceID, i.Path), gap)
}

// warn tells something that does not keep the command from being carried out.
func (a *app) warn(format string, args ...any) {
	a.tell(func(p *page) { p.labelled(yellow, "warning:", fmt.Sprintf(format, args...)) })
}

// warnOf keeps what is to be known about schemas that are taken as they are, until the end: a line in front of a result
// is soon out of sight.
func (a *app) warnOf(dir string, found []dsl.Issue) {
	a.warnings = append(a.warnings, a.inFolder(dir, found...)...)
}

// showWarnings tells what was kept and is not told yet.
func (a *app) showWarnings() {
	if a.warned {
		return
	}
	a.warned = true
	a.tell(func(p *page) { p.warnings(a.warnings) })
}

// warnings lists them, those that say that a file is ignored where nobody overlooks them.
func (p *page) warnings(all []issue) {
	for _, w := range all {
		look := yellow
		if w.Code == string(dsl.CodeReplaced) {
			look += bold
		}
		p.labelled(look, "warning:", w.text())
	}
}
