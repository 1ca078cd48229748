package cli

import (
	"context"
	"fmt"

	"svc/core/client"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/dsl"
)

// warn tells something that does not keep the command from being carried out.
func (a *app) warn(format string, args ...any) {
	a.tell(func(p *page) { p.labelled(yellow, "warning:", fmt.Sprintf(format, args...)) })
}

// warnOf keeps what is to be known about schemas that are taken as they are, until the end: a line in front of a result
// is soon out of sight.
func (a *app) warnOf(dir string, found []dsl.Issue) {
	for _, w := range found {
		a.warnings = append(a.warnings, a.inFolder(dir, w))
	}
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

// checkSize refuses a set that the service would not take, and names the collections that it is large for.
func (a *app) checkSize(dir string, set dsl.Set, summary string) error {
	values := set.Canonical()
	size, err := client.SchemaBytes(values, summary)
	if err != nil || size <= schema.MaxSetBytes {
		return err
	}
	with := ""
	if summary != "" {
		with = " with the summary"
	}
	f := failed("the schemas in %s%s are %s as JSON (%s bytes), and the service takes %s (%s bytes) at most; nothing was sent",
		a.shown(dir), with, bytesText(int64(size)), count(size), bytesText(schema.MaxSetBytes), count(schema.MaxSetBytes))
	f.code = string(fault.PayloadTooLarge)
	f.hint = "move values that are no schema out of it, such as long lists of choices, into content"
	for i, c := range set.Collections {
		if share := len(values[i]); share > schema.MaxSetBytes/10 {
			at := dsl.Issue{File: c.File, Line: c.Line, Column: c.Column, Code: dsl.CodeTooLarge}
			at.Message = "the collection " + c.Name + " has " + bytesText(int64(share)) + " of it"
			f.issues = append(f.issues, a.inFolder(dir, at))
		}
	}
	return f
}

// fitting loads the schema folder for a request with all of it, and with the summary of a push.
func (a *app) fitting(ctx context.Context, dir setting, summary string) (dsl.Set, error) {
	set, err := a.loadSchemas(ctx, dir)
	if err != nil {
		return dsl.Set{}, err
	}
	return set, a.checkSize(dir.value, set, summary)
}
