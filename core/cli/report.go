package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// version is the version of the machine output (interface, "Versioning").
const version = 1

// maxShown is how many findings an error shows to a person; --json has them all.
const maxShown = 20

// output is what a command prints for machines: data, or an error.
type output struct {
	Version int      `json:"version"`
	Data    any      `json:"data,omitzero"`
	Error   *failure `json:"error,omitzero"`
	// Warnings are about schema files that were taken as they are.
	Warnings []issue `json:"warnings,omitempty"`
}

// answer prints the result of a command: data for a machine, or what show writes for a person.
func (a *app) answer(data any, show func(p *page)) error {
	if a.asJSON {
		return a.printJSON(output{Data: data})
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

func (a *app) printJSON(o output) error {
	o.Version, o.Warnings = version, a.warnings
	line, err := json.Marshal(o, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) // paths may be any bytes
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
	if !f.told {
		a.tell(f.show)
	}
	if !a.asJSON {
		return nil
	}
	return a.printJSON(output{Error: f})
}

func (f *failure) show(p *page) {
	p.labelled(red+bold, "error:", f.Detail+" ["+f.Code+"]")
	listed := f.Errors
	if len(listed) == 1 && f.says(listed[0]) {
		listed = nil
	}
	p.issues(listed)
	for _, list := range []struct {
		name string
		ids  []string
	}{{"entries", f.EntryIDs}, {"change sets", f.ChangeSetIDs}, {"fields", f.Fields}} {
		if len(list.ids) > 0 && !named(list.ids, listed) {
			p.line("  %s: %s", list.name, strings.Join(list.ids, ", "))
		}
	}
	if f.Hint != "" {
		p.labelled(cyan, "hint:", f.Hint)
	}
	if f.RequestID != "" {
		p.line("%s", p.paint(dim, "request "+f.RequestID))
	}
}

// says tells whether the detail has all of a finding.
func (f *failure) says(i issue) bool {
	placed := i.File == "" || strings.HasPrefix(f.Detail, fmt.Sprintf("line %d", i.Line))
	return placed && strings.Contains(f.Detail, i.Message)
}

// named tells whether a list of findings, as far as it is shown, names all of these ids.
func named(ids []string, listed []issue) bool {
	listed = listed[:min(len(listed), maxShown)]
	return !slices.ContainsFunc(ids, func(id string) bool {
		return !slices.ContainsFunc(listed, func(i issue) bool { return i.ResourceID == id })
	})
}

// issues lists findings, and says how many more there are.
func (p *page) issues(issues []issue) {
	for i, it := range issues {
		if i == maxShown {
			p.line("  and %s more; --json lists them all", count(len(issues)-i))
			return
		}
		p.line("  %s", it.text())
	}
}

// text is a finding in one line: the file with line and column, or the entry, then the path in it, the message and the code.
func (i issue) text() string {
	file, message := i.File, i.Message
	for _, n := range []int{i.Line, i.Column} {
		if n > 0 {
			file += ":" + decimal(uint64(n))
		}
	}
	if i.Code != "" {
		message += " (" + i.Code + ")"
	}
	return strings.Join(nonEmpty(file, cmp.Or(i.name, i.ResourceID), i.Path, message), gap)
}

// warn tells something that does not keep the command from being carried out.
func (a *app) warn(format string, args ...any) {
	a.tell(func(p *page) { p.labelled(yellow, "warning:", fmt.Sprintf(format, args...)) })
}

// warnOf tells what is to be known about schemas that are taken as they are, and keeps it for the output for machines.
func (a *app) warnOf(found []issue) {
	a.warnings = append(a.warnings, found...)
	for _, w := range found {
		a.warn("%s", w.text())
	}
}
