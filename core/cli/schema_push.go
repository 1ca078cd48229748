package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/wire"
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
