package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/core/wire"
)

func (a *app) accessCommand() *cobra.Command {
	var q client.AccessQuery
	cmd := &cobra.Command{
		Use:   "access [CAPABILITY]",
		Short: "Explain what the credential may do, and why a call is denied",
		Long: "Explain what the credential may do in the project: with a capability (a scope such as content:publish), a route or a\n" +
			"tool, whether it may do that, and what to do where it may not. A call that would be denied exits with 3.",
	}
	cmd.Flags().StringVar(&q.Route, "route", "", "`ROUTE` to ask about: an operationId, or a method and path")
	cmd.Flags().StringVar(&q.Tool, "tool", "", "`TOOL` of the agent tool server to ask about (svc_…)")
	cmd.Flags().StringVarP(&q.Collection, "collection", "c", "", "`COLLECTION` that the call is about")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			q.Capability = args[0]
		}
		if len(nonEmpty(q.Capability, q.Route, q.Tool)) > 1 {
			return usage(seeHelp(cmd), "a call is named by one of a capability, --route and --tool")
		}
		answer, err := ask(a, "asking what the credential may do", func() (wire.Access, error) { return a.client.Access(ctx, a.project, q) })
		if err != nil {
			return err
		}
		if err := a.answer(answer, func(p *page) { p.showAccess(answer) }); err != nil {
			return err
		}
		return outcome(!answer.Allowed, ExitCredential)
	})
}

func (p *page) showAccess(a wire.Access) {
	p.showChecks(a.Checks)
	if a.Allowed {
		p.line("The credential %s this.", p.paint(green, "may do"))
	} else {
		p.line("The credential %s this.", p.paint(red, "may not do"))
	}
}

// showChecks lists checks in the order in which they were made, and what to do about those that failed.
func (p *page) showChecks(checks []wire.DiagnosticCheck) {
	var t table
	t.row(plain, "CHECK", "RESULT", "DETAIL")
	for _, c := range checks {
		switch {
		case c.Passed:
			t.row(green, c.Name, "passed", c.Detail)
		case c.Remedy == nil:
			t.row(dim, c.Name, "not reached", c.Detail)
		default:
			t.row(red, c.Name, "failed", c.Detail)
		}
	}
	p.table(t)
	for _, c := range checks {
		if c.Remedy != nil {
			p.labelled(cyan, c.Name+":", *c.Remedy)
		}
	}
}

func (a *app) usageCommand() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show what an organization used this month, and by day",
		Long: "Show what an organization used this month, beside what its plan includes, and by day in UTC: that of --organization, else that\n" +
			"of the credential. Without days it is the last 30 days. It needs a credential with the scope org:admin.",
	}
	cmd.Flags().StringVar(&from, "from", "", "first `DAY`, such as 2026-03-01")
	cmd.Flags().StringVar(&to, "to", "", "last `DAY`; today if left out")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if err := a.connect(ordinary); err != nil {
			return err
		}
		return reply(a, "asking for the usage", func() (used wire.Usage, err error) {
			organization := a.settings.organization.value
			if organization == "" {
				who, err := a.client.Whoami(ctx)
				if err != nil {
					return used, err
				}
				organization = string(who.Organization.ID)
			}
			return a.client.Usage(ctx, organization, from, to)
		}, showUsage)
	})
}

func showUsage(used wire.Usage, p *page) {
	for _, m := range used.Meters {
		bound := "(no limit)"
		if m.SoftLimit != nil {
			bound = "of " + count(int(*m.SoftLimit))
		}
		p.line("%s %s, plan %s: %s %s", used.Month, meterName(m.Meter), used.Plan, p.paint(bold, count(int(m.Total))), bound)
		if m.Notice != nil {
			p.labelled(yellow, "notice:", *m.Notice)
		}
	}
	if len(used.Days) == 0 {
		p.line("Nothing was used on these days.")
		return
	}
	var t table
	t.row(plain, "DAY", "METER", "TOTAL")
	for _, d := range used.Days {
		t.row(bold, d.Day, meterName(d.Meter), count(int(d.Total)))
	}
	p.table(t)
}

func meterName(meter string) string { return strings.ReplaceAll(meter, "_", " ") }
