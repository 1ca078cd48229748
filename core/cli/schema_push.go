package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

func (a *app) schemaDiffCommand() *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show what a push would do",
		Long: `Show what pushing the schema folder would do; nothing is changed. Every change has a mark:
  +  safe
  ~  conditionally destructive: refused where content does not fit it
  !  destructive: content is lost; a push needs --allow-destructive

Content that does not fit exits with 4, since a push would be refused; with --exit-code, so does any difference, and 0 says
that folder and project are in sync. It needs the scope schema:read; without content:read
beside it the plan is shown alone, and content is not checked.`,
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 4 where anything differs, as a check for CI")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		set, _, err := a.loadSchemas(ctx)
		if err != nil {
			return err
		}
		if err := a.connectProject(ordinary); err != nil {
			return err
		}
		plan, err := ask(a, "comparing "+counted(len(set.Collections), "collection", "collections"), func() (wire.Plan, error) { return a.client.DiffSchema(ctx, a.project, set.Canonical()) })
		if err != nil {
			return a.inFiles(set, err)
		}
		err = a.answer(plan, func(p *page) { p.showDiff(plan, a.project) })
		return cmp.Or(err, outcome(plan.ContentErrorCount > 0 || exitCode && !plan.InSync, ExitValidation))
	})
}

func (p *page) showDiff(pl wire.Plan, project string) {
	p.showOperations(pl.Operations)
	p.showContentErrors(pl)
	if pl.InSync {
		p.line("In sync: the schemas deployed to %s are those of the folder.", project)
	} else {
		says := summaryOf(pl.Operations, " to "+project)
		if pl.ContentErrorCount > 0 {
			says += "; a push would be refused: " + counted(pl.ContentErrorCount, "content error", "content errors")
		}
		if pl.Classification == diff.Destructive {
			says += "; a push needs --allow-destructive"
		}
		p.line("%s", says)
		if !pl.ContentChecked {
			p.labelled(yellow, "content was not checked:", "the key lacks content:read; a push is refused where content does not fit")
		}
	}
	if len(pl.ConfinedTo) > 0 {
		p.labelled(yellow, "not everything:", "the key sees the collections "+strings.Join(pl.ConfinedTo, ", ")+" alone; a push needs one that sees all")
	}
}

// known is what people know the entry by, in parentheses: its slug and its title.
func known(e wire.ContentError) string {
	title := e.Title
	if title != "" {
		title = `"` + title + `"`
	}
	if by := nonEmpty(schema.Show(e.Slug), title); len(by) > 0 {
		return "(" + strings.Join(by, ", ") + ")"
	}
	return ""
}

// showOperations lists what changes: the mark, what it is about, and the change in words.
func (p *page) showOperations(operations []wire.Operation) {
	var t table
	for _, o := range operations {
		sign, look := "?", red // of a class that this program does not know
		if slices.Contains(diff.Classes(), o.Classification) {
			sign, look = o.Classification.Marker(), looks[string(o.Classification)]
		}
		t.row(look, sign, strings.TrimSuffix(o.Collection+"."+o.Field, "."), o.Message)
	}
	p.table(t)
}

// showContentErrors lists the entries that would not fit.
func (p *page) showContentErrors(pl wire.Plan) {
	for _, e := range pl.ContentErrors {
		p.labelled(red, "content error:", strings.Join(nonEmpty(e.Collection, string(e.Entry), known(e), e.Path), " ")+": "+e.Message)
	}
	if more := pl.ContentErrorCount - len(pl.ContentErrors); more > 0 {
		p.line("%s and %s more", p.paint(red, "content error:"), count(more))
	}
}

// summaryOf counts the operations by class, with what they are for behind their number: "4 changes to demo: 3 safe, 1
// destructive".
func summaryOf(operations []wire.Operation, end string) string {
	var parts []string
	for _, class := range diff.Classes() {
		n := 0
		for _, o := range operations {
			if o.Classification == class {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, count(n)+" "+strings.ReplaceAll(string(class), "_", " "))
		}
	}
	return counted(len(operations), "change", "changes") + end + ": " + strings.Join(parts, ", ")
}

func (a *app) schemaPushCommand() *cobra.Command {
	var allow bool
	var summary string
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Deploy the schema folder",
		Long: `Deploy the schema folder as the whole set, all of it or nothing. Every collection that changes gets a new immutable
version; files that are deployed already change nothing. It prints the plan and carries it out without asking; "svc schema
diff" shows the plan alone. Where existing content does not fit, or would be lost and --allow-destructive is not given,
nothing is changed and it exits with 4; "svc schema inspect NAME --version N --source" prints the file of an earlier
version, to go back to that. It needs the scope schema:write.`,
	}
	cmd.Flags().BoolVar(&allow, "allow-destructive", false, "accept changes that lose content")
	cmd.Flags().StringVar(&summary, "summary", "", "`TEXT` saying what the push is about, kept with the new versions")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		set, _, err := a.loadSchemas(ctx)
		if err != nil {
			return err
		}
		if err := a.connectProject(publish); err != nil {
			return err
		}
		a.uncertain = `the push may have been carried out: "svc schema diff" tells`
		a.inFull = `"svc schema diff" shows the whole plan`
		plan, err := ask(a, "pushing "+counted(len(set.Collections), "collection", "collections"), func() (wire.Plan, error) {
			return a.client.PushSchema(ctx, a.project, set.Canonical(), allow, summary)
		})
		if err != nil {
			return a.inFiles(set, err)
		}
		return a.answer(plan, func(p *page) { p.showPushed(plan, a.project) })
	})
}

func (p *page) showPushed(pl wire.Plan, project string) {
	if pl.InSync {
		p.line("In sync: nothing to deploy to %s.", project)
		return
	}
	p.showOperations(pl.Operations)
	p.line("%s %s", p.paint(green, "deployed"), summaryOf(pl.Operations, " to "+project))
	p.versions(pl)
}

// versions lists the versions of the collections that changed.
func (p *page) versions(pl wire.Plan) {
	seen := map[string]bool{}
	var t table
	t.row(plain, "COLLECTION", "VERSION")
	for _, o := range pl.Operations {
		if v, live := pl.Versions[o.Collection]; live && !seen[o.Collection] {
			t.row(plain, o.Collection, v)
		}
		seen[o.Collection] = true
	}
	if len(t) > 1 {
		p.table(t)
	}
}
