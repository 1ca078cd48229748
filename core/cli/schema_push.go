package cli

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/core/client"
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
		set, c, project, err := a.proposal(ctx, summary, publish)
		if err != nil {
			return err
		}
		a.showWarnings() // it does not ask
		a.uncertain = "the push may have been carried out: " + a.typed("schema", "diff") + " tells"
		a.inFull = a.typed("schema", "diff") + " shows the whole plan"
		answer, err := ask(a, "pushing "+counted(len(set.Collections), "collection", "collections"), func() (client.Plan, error) { return c.PushSchema(ctx, project, set.Canonical(), allow, summary) })
		if err != nil {
			return a.aboutContent(a.inFiles(a.settings.schemaDir.value, set, err))
		}
		plan := planOf(answer)
		return a.answer(plan, func(p *page) { plan.showPushed(p, project, a.warnings) })
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
func (a *app) proposal(ctx context.Context, summary string, limit time.Duration) (dsl.Set, *client.Client, string, error) {
	s, err := a.mustLoad()
	if err != nil {
		return dsl.Set{}, nil, "", err
	}
	set, err := a.fitting(ctx, s.schemaDir, summary)
	if err != nil {
		return dsl.Set{}, nil, "", err
	}
	c, project, err := a.connectProject(limit)
	return set, c, project, err
}

func (pl plan) showPushed(p *page, project string, warnings []issue) {
	defer p.warnings(warnings)
	if pl.InSync {
		p.line("In sync: nothing to deploy to %s.", project)
		return
	}
	p.showOperations(pl.Operations)
	p.line("%s %s", p.paint(green, "deployed"), pl.summaryOf(" to "+project))
	p.versions(pl)
}

// versions lists the versions of the collections that changed.
func (p *page) versions(pl plan) {
	seen := map[string]bool{}
	var t table
	t.row(plain, "COLLECTION", "VERSION")
	for _, o := range pl.Operations {
		if v, live := pl.Versions[o.Collection]; live && !seen[o.Collection] {
			t.row(plain, o.Collection, strconv.FormatInt(v, 10))
		}
		seen[o.Collection] = true
	}
	if len(t) > 1 {
		p.table(t)
	}
}
