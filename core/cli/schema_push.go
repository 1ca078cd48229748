package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/dsl"
)

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
		set, err := a.proposal(ctx, summary, publish)
		if err != nil {
			return err
		}
		a.showWarnings() // it does not ask
		a.uncertain = "the push may have been carried out: " + a.typed("schema", "diff") + " tells"
		a.inFull = a.typed("schema", "diff") + " shows the whole plan"
		plan, err := ask(a, "pushing "+counted(len(set.Collections), "collection", "collections"), func() (wire.Plan, error) {
			return a.client.PushSchema(ctx, a.project, set.Canonical(), allow, summary)
		})
		if err != nil {
			return a.aboutContent(a.inFiles(a.settings.schemaDir.value, set, err))
		}
		return a.answer(plan, func(p *page) { p.showPushed(plan, a.project, a.warnings) })
	})
}

// aboutContent says of a refusal for the sake of content where to see more.
func (a *app) aboutContent(err error) error {
	f := a.explain(err)
	if f.hint == "" && slices.ContainsFunc(f.issues, func(i issue) bool { return i.ResourceID != "" }) {
		f.hint = a.inFull + ", and how to come by an earlier version where a removed collection returns"
	}
	return f
}

// proposal reads the schema folder and connects to the project that it is for. A comparison has no summary.
func (a *app) proposal(ctx context.Context, summary string, limit time.Duration) (dsl.Set, error) {
	set, dir, err := a.loadSchemas(ctx)
	if err != nil {
		return set, err
	}
	if err := a.checkSize(dir, set, summary); err != nil {
		return set, err
	}
	return set, a.connectProject(limit)
}

func (p *page) showPushed(pl wire.Plan, project string, warnings []issue) {
	defer p.warnings(warnings)
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
			f.issues = append(f.issues, a.inFolder(dir, at)...)
		}
	}
	return f
}
