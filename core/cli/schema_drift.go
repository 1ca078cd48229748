package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/wire"
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
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if against == "" {
			return usage("pass --against PROJECT", "no project to compare with is named")
		}
		with := other{"--against", against}
		if err := with.check(); err != nil {
			return err
		}
		c, project, err := a.connectProject(ordinary)
		if err != nil {
			return err
		}
		var answer wire.Drift
		err = a.during(ctx, "comparing with "+against, nil, func(ctx context.Context) (err error) {
			answer, err = c.DriftSchema(ctx, project, against)
			return err
		})
		if err != nil {
			return a.aboutOther(ctx, c, project, with, err)
		}
		err = a.answer(answer, func(p *page) { p.showDrift(answer, project, against) })
		if err == nil && !answer.InSync {
			return outcome(ExitValidation)
		}
		return err
	})
}

func (p *page) showDrift(d wire.Drift, project, against string) {
	if d.InSync {
		p.line("In sync: the schemas of %s are those of %s.", clean(project), clean(against))
		return
	}
	p.showOperations(d.Operations)
	p.paragraph(summaryOf(d.Operations, " for "+project+" to be as "+against+" is"))
}
