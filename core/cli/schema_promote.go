package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

func (a *app) schemaDriftCommand() *cobra.Command {
	var against string
	cmd := &cobra.Command{
		Use:   "drift",
		Short: "Show how the deployed schemas differ from those of another project",
		Long: `Show how the deployed schemas differ from those of another project: what promoting that project's to this one would
change. Every change has a mark, as in "svc schema diff". Neither the schema folder nor content counts. Where the
projects differ it exits with 4. It needs the scope schema:read in both projects.`,
		Example: "  svc schema drift --against staging",
	}
	cmd.Flags().StringVar(&against, "against", "", "`PROJECT` to compare with, as slug or id")
	return a.inProject(cmd, ordinary, func(ctx context.Context, _ []string) error {
		if err := checkOther("--against", against); err != nil {
			return err
		}
		d, err := a.drift(ctx, against)
		if err != nil {
			return err
		}
		return cmp.Or(a.answer(d, func(p *page) { p.showDrift(d, a.project, against) }), outcome(!d.InSync, ExitValidation))
	})
}

// drift compares the project with another one.
func (a *app) drift(ctx context.Context, against string) (wire.Drift, error) {
	return ask(a, "comparing with "+against, func() (wire.Drift, error) { return a.client.DriftSchema(ctx, a.project, against) })
}

func (p *page) showDrift(d wire.Drift, project, against string) {
	if d.InSync {
		p.line("In sync: the schemas of %s are those of %s.", project, against)
		return
	}
	p.showOperations(d.Operations)
	p.line("%s", summaryOf(d.Operations, " for "+project+" to be as "+against+" is"))
}

func (a *app) schemaPromoteCommand() *cobra.Command {
	var from string
	var allow bool
	cmd := &cobra.Command{
		Use:   "promote",
		Short: "Deploy the schemas of another project",
		Long: `Deploy the schemas that another project has deployed as the whole set, all of it or nothing, as "svc schema push" would:
the content of this project must fit them. "svc schema drift --against PROJECT" shows the plan alone. On a terminal it shows the
plan and asks; elsewhere --yes is needed. It needs the scope schema:write here and schema:read in the other project.`,
		Example: "  svc schema promote --from staging\n  svc schema promote --from staging --project live --yes --json",
	}
	cmd.Flags().StringVar(&from, "from", "", "`PROJECT` whose schemas to deploy, as slug or id")
	cmd.Flags().BoolVar(&allow, "allow-destructive", false, "accept changes that lose content")
	a.addYes(cmd, "do not ask")
	return a.inProject(cmd, publish, func(ctx context.Context, _ []string) error {
		if err := cmp.Or(checkOther("--from", from), a.someoneToAsk(cmd.CommandPath())); err != nil {
			return err
		}
		if err := a.confirmPromotion(ctx, from, allow); err != nil {
			return err
		}
		a.uncertain = `it may have been carried out: "svc schema drift --against ` + from + `" tells`
		a.inFull = `"svc schema drift --against ` + from + `" shows the whole plan`
		return reply(a, "promoting from "+from, func() (wire.Plan, error) { return a.client.PromoteSchema(ctx, a.project, from, allow) },
			func(plan wire.Plan, p *page) { p.showPushed(plan, a.project) })
	})
}

// confirmPromotion shows what would change, and asks. Where nothing would, there is nothing to ask.
func (a *app) confirmPromotion(ctx context.Context, from string, allow bool) error {
	if a.flags.yes {
		return nil
	}
	d, err := a.drift(ctx, from)
	if err != nil || d.InSync {
		return err
	}
	a.tell(func(p *page) { p.showDrift(d, a.project, from) })
	if d.Classification == diff.Destructive && !allow {
		return &failure{
			exit: ExitValidation, Code: string(fault.SchemaChangeDestructive),
			Detail: "that would take content away; nothing was changed", Hint: "--allow-destructive accepts the loss",
		}
	}
	return a.confirm(ctx, "deploying the schemas of "+from+" to "+a.project)
}

// checkOther checks what a flag says of a second project.
func checkOther(flag, project string) error {
	if !isProject(project) {
		return usage("", "%s is %q; it must be the slug or the id (prj_…) of a project", flag, project)
	}
	return nil
}
