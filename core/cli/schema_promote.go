package cli

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"svc/core/client"
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
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if err := checkOther("--against", against, "compare with"); err != nil {
			return err
		}
		if err := a.connectProject(ordinary); err != nil {
			return err
		}
		d, err := a.drift(ctx, "--against", against)
		if err != nil {
			return err
		}
		return cmp.Or(a.answer(d, func(p *page) { p.showDrift(d, a.project, against) }), outcome(!d.InSync, ExitValidation))
	})
}

// drift compares the project with another one, which a flag names.
func (a *app) drift(ctx context.Context, flag, against string) (wire.Drift, error) {
	d, err := ask(a, "comparing with "+against, func() (wire.Drift, error) { return a.client.DriftSchema(ctx, a.project, against) })
	if err != nil {
		return d, a.aboutOther(ctx, flag, against, err)
	}
	return d, nil
}

func (p *page) showDrift(d wire.Drift, project, against string) {
	if d.InSync {
		p.line("In sync: the schemas of %s are those of %s.", project, against)
		return
	}
	p.showOperations(d.Operations)
	p.line("%s", p.wrap(summaryOf(d.Operations, " for "+project+" to be as "+against+" is"), 0))
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
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if err := checkOther("--from", from, "promote from"); err != nil {
			return err
		}
		if err := a.someoneToAsk("deploying schemas", "pass --yes"); err != nil {
			return err
		}
		if err := a.connectProject(publish); err != nil {
			return err
		}
		if err := a.confirmPromotion(ctx, from, allow); err != nil {
			return err
		}
		drift := a.typed("schema", "drift", "--against", from)
		a.uncertain = "it may have been carried out: " + drift + " tells"
		a.inFull = drift + " shows the whole plan"
		plan, err := ask(a, "promoting from "+from, func() (wire.Plan, error) { return a.client.PromoteSchema(ctx, a.project, from, allow) })
		if err != nil {
			return a.aboutOther(ctx, "--from", from, err)
		}
		return a.answer(plan, func(p *page) { p.showPushed(plan, a.project, nil) })
	})
}

// confirmPromotion shows what would change, and asks. Where nothing would, there is nothing to ask.
func (a *app) confirmPromotion(ctx context.Context, from string, allow bool) error {
	if a.flags.yes {
		return nil
	}
	d, err := a.drift(ctx, "--from", from)
	if err != nil || d.InSync {
		return err
	}
	a.tell(func(p *page) { p.showDrift(d, a.project, from) })
	if d.Classification == diff.Destructive && !allow {
		return &failure{
			exit: ExitValidation, code: string(fault.SchemaChangeDestructive),
			detail: "that would take content away; nothing was changed", hint: "--allow-destructive accepts the loss",
		}
	}
	return a.confirm(ctx, "Deploy the schemas of "+from+" to "+a.project+"?")
}

// checkOther checks what a flag says of a second project, which a command is there to do something with.
func checkOther(flag, project, to string) error {
	switch {
	case project == "":
		return usage("pass "+flag+" PROJECT", "no project to %s is named", to)
	case !isProject(project):
		return usage("", "%s is %q; it must be the slug or the id (prj_…) of a project", flag, project)
	}
	return nil
}

// aboutOther tells a refusal that is about the other project from one about the project of the settings: the service
// says of both that there is no such project.
func (a *app) aboutOther(ctx context.Context, flag, other string, err error) error {
	var service *client.Error
	if !errors.As(err, &service) || service.Code != string(fault.NotFound) {
		return err
	}
	if _, missing := a.client.Project(ctx, a.project); missing != nil {
		return err
	}
	f := a.explain(err)
	f.detail = "there is no project " + strconv.Quote(other)
	f.hint = flag + " names it, as slug or id: is it spelt so, in the credential's organization, and may the credential read it?"
	return f
}
