package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

// promoting are the flags of promote.
type promoting struct {
	from       string
	allow, yes bool
}

func (a *app) schemaPromoteCommand() *cobra.Command {
	var f promoting
	cmd := &cobra.Command{
		Use:   "promote",
		Short: "Deploy the schemas of another project",
		Long: `Deploy the schemas that another project has deployed as the whole set, all of it or nothing, as "svc schema push" would:
the content of this project must fit them. "svc schema drift --against PROJECT" shows the plan alone. On a terminal it shows the
plan and asks; elsewhere --yes is needed. It needs the scope schema:write here and schema:read in the other project.`,
		Example: "  svc schema promote --from staging\n  svc schema promote --from staging --project live --yes --json",
	}
	cmd.Flags().StringVar(&f.from, "from", "", "`PROJECT` whose schemas to deploy, as slug or id")
	cmd.Flags().BoolVar(&f.allow, "allow-destructive", false, "accept changes that lose content")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	return a.does(cmd, func(ctx context.Context, _ []string) error { return a.promote(ctx, f) })
}

func (a *app) promote(ctx context.Context, f promoting) error {
	from := other{"--from", f.from}
	if f.from == "" {
		return usage("pass --from PROJECT", "no project to promote from is named")
	}
	if err := from.check(); err != nil {
		return err
	}
	if !f.yes {
		if err := a.someoneToAsk("deploying schemas"); err != nil {
			return err
		}
	}
	c, project, err := a.connectProject(publish)
	if err != nil {
		return err
	}
	if !f.yes {
		if err := a.confirmPromotion(ctx, c, project, f); err != nil {
			return err
		}
	}
	drift := a.typed("schema", "drift", "--against", f.from)
	a.uncertain = "it may have been carried out: " + drift + " tells"
	a.inFull = drift + " shows the whole plan"
	answer, err := ask(a, "promoting from "+f.from, func() (client.Plan, error) { return c.PromoteSchema(ctx, project, f.from, f.allow) })
	if err != nil {
		return a.aboutOther(ctx, c, project, from, err)
	}
	plan := planOf(answer)
	return a.answer(plan, func(p *page) { plan.showPushed(p, project, nil) })
}

// confirmPromotion shows what would change, and asks. Where nothing would, there is nothing to ask.
func (a *app) confirmPromotion(ctx context.Context, c *client.Client, project string, f promoting) error {
	answer, err := ask(a, "comparing with "+f.from, func() (client.Plan, error) { return c.DriftSchema(ctx, project, f.from) })
	if err != nil {
		return a.aboutOther(ctx, c, project, other{"--from", f.from}, err)
	}
	if answer.InSync {
		return nil
	}
	a.tell(func(p *page) { driftOf(answer).show(p, project, f.from) })
	if answer.Classification == string(diff.Destructive) && !f.allow {
		return &failure{
			exit: ExitValidation, code: string(fault.SchemaChangeDestructive),
			detail: "that would take content away; nothing was changed", hint: "--allow-destructive accepts the loss",
		}
	}
	return a.confirm(ctx, fmt.Sprintf("Deploy the schemas of %s to %s?", f.from, project))
}
