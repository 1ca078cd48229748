package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/client"
)

// drift is how the schemas of two projects differ.
type drift struct {
	InSync         bool        `json:"inSync"`
	Classification string      `json:"classification"`
	Operations     []operation `json:"operations"`
}

func driftOf(in client.Plan) drift {
	of := planOf(in)
	return drift{of.InSync, of.Classification, of.Operations}
}

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
		answer, err := ask(a, "comparing with "+against, func() (client.Plan, error) { return c.DriftSchema(ctx, project, against) })
		if err != nil {
			return a.aboutOther(ctx, c, project, with, err)
		}
		d := driftOf(answer)
		err = a.answer(d, func(p *page) { d.show(p, project, against) })
		if err == nil && !d.InSync {
			return outcome(ExitValidation)
		}
		return err
	})
}

func (d drift) show(p *page, project, against string) {
	if d.InSync {
		p.line("In sync: the schemas of %s are those of %s.", project, against)
		return
	}
	p.showOperations(d.Operations)
	p.line("%s", p.wrap(plan{Operations: d.Operations}.summaryOf(" for "+project+" to be as "+against+" is"), 0))
}
