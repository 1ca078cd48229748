package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/fault"
)

// diagnosis is what svc doctor prints.
type diagnosis struct {
	Passed bool                   `json:"passed"` // every check
	Checks []wire.DiagnosticCheck `json:"checks"`
}

// examination is one check of svc doctor. It returns what it found and, where it failed, what to do; without a detail it is not
// listed. It is made once the check after has passed, if it names one.
type examination struct {
	name, after string
	run         func(ctx context.Context) (detail, remedy string)
}

// maxSkew is how far the clock may be from the server's. Signatures and expiries are told by it to the minute.
const maxSkew = time.Minute

func (a *app) doctorCommand() *cobra.Command {
	var origin string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings, the service and the credential",
		Long: "Check, in this order: the settings, whether the service answers, the credential, the project, what everyday commands need,\n" +
			"whether pages of an origin may read, the clock, and the edges where the credential may see them. It exits with 1 if a check fails.",
	}
	cmd.Flags().StringVar(&origin, "origin", "", "`ORIGIN` of pages that read (https://…)")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		d := diagnosis{Passed: true}
		var ahead time.Duration // of the server's clock, when it answered
		passed := map[string]bool{"": true}
		for _, e := range []examination{
			{"configuration", "", func(context.Context) (string, string) { return a.examineSettings() }},
			{"api", "configuration", func(ctx context.Context) (string, string) {
				at, err := a.client.Clock(ctx)
				ahead = time.Since(at)
				return a.found(err, "the service answers at "+a.settings.apiURL.value)
			}},
			{"credential", "api", a.examineCredential},
			{"project", "credential", func(ctx context.Context) (string, string) {
				_, err := a.client.Project(ctx, a.project)
				return a.found(err, "the credential reaches the project "+a.project)
			}},
			{"scopes", "project", a.examineScopes},
			{"cors", "project", func(ctx context.Context) (string, string) { return a.examineOrigin(ctx, origin) }},
			{"clock", "api", func(context.Context) (string, string) { return examineClock(ahead) }},
			{"edges", "credential", a.examineEdges},
		} {
			row := wire.DiagnosticCheck{Name: e.name, Detail: "not reached, since the check " + e.after + " did not pass"}
			if passed[e.after] {
				var remedy string
				row.Detail, remedy = e.run(ctx)
				row.Passed, row.Remedy = remedy == "", orNull(remedy)
			}
			if passed[e.name] = row.Passed; row.Detail != "" {
				d.Checks, d.Passed = append(d.Checks, row), d.Passed && row.Passed
			}
		}
		if err := ctx.Err(); err != nil { // what failed for that says nothing
			return err
		}
		if err := a.answer(d, d.show); err != nil {
			return err
		}
		return outcome(!d.Passed, ExitFailed)
	})
}

func (d diagnosis) show(p *page) {
	p.showChecks(d.Checks)
	if d.Passed {
		p.line("%s", p.paint(green, "Everything is well."))
	}
}

// found is the result of a check that asked the service.
func (a *app) found(err error, well string) (detail, remedy string) {
	if err == nil {
		return well, ""
	}
	f := a.explain(err)
	return f.Detail, cmp.Or(f.Hint, `"svc status" shows the settings and where they come from`)
}

func (a *app) examineSettings() (detail, remedy string) {
	err := a.connectProject(ordinary)
	s := a.settings
	return a.found(err, fmt.Sprintf("API %s from %s; project %s from %s; credential %s from %s", s.apiURL.value, a.shownSource(s.apiURL.from),
		s.project.value, a.shownSource(s.project.from), maskToken(s.token.value), a.shownSource(s.token.from)))
}

func (a *app) examineCredential(ctx context.Context) (detail, remedy string) {
	who, err := a.client.Whoami(ctx)
	return a.found(err, fmt.Sprintf("%s of the organization %s is valid", who.Label, who.Organization.Slug))
}

// everyday are the commands that most people need, with the route of each that needs the most.
var everyday = [][2]string{
	{"schema diff", "POST /v1/projects/:project/schema/diff"},
	{"schema push", "POST /v1/projects/:project/schema/push"},
	{"entries import", "POST /v1/projects/:project/collections/:collection/import"},
	{"change-sets publish", "POST /v1/projects/:project/change-sets/:changeSet/publish"},
}

func (a *app) examineScopes(ctx context.Context) (detail, remedy string) {
	var may, mayNot, remedies []string
	for _, e := range everyday {
		access, err := a.client.Access(ctx, a.project, client.AccessQuery{Route: e[1]})
		if err != nil {
			return a.found(err, "")
		}
		if access.Allowed {
			may = append(may, e[0])
			continue
		}
		mayNot = append(mayNot, e[0])
		for _, c := range access.Checks {
			if c.Remedy != nil && !slices.Contains(remedies, *c.Remedy) {
				remedies = append(remedies, *c.Remedy)
			}
		}
	}
	if len(mayNot) > 0 {
		return "the credential may not be used for " + strings.Join(mayNot, ", "), strings.Join(remedies, "; ")
	}
	return "the credential may be used for " + strings.Join(may, ", "), ""
}

func (a *app) examineOrigin(ctx context.Context, origin string) (detail, remedy string) {
	if origin == "" {
		return "", ""
	}
	answer, err := a.client.CheckCORS(ctx, a.project, origin, "")
	if err != nil {
		return a.found(err, "")
	}
	for _, c := range answer.Checks {
		if detail = c.Detail; c.Remedy != nil {
			return detail, *c.Remedy
		}
	}
	return detail, ""
}

// examineClock compares the clock of this machine with the server's, which tells it to the second.
func examineClock(ahead time.Duration) (detail, remedy string) {
	direction := "ahead of"
	if ahead < 0 {
		ahead, direction = -ahead, "behind"
	}
	if ahead <= maxSkew {
		return "the clock is within " + maxSkew.String() + " of the server's", ""
	}
	return fmt.Sprintf("the clock of this machine is %s %s the server's", ahead.Round(time.Minute), direction), "set it, best by NTP"
}

// examineEdges looks at the edges where the credential may see them.
func (a *app) examineEdges(ctx context.Context) (detail, remedy string) {
	edges, err := a.client.Edges(ctx)
	switch {
	case err != nil && a.explain(err).Code == string(fault.Forbidden):
		return "", ""
	case err != nil:
		return a.found(err, "")
	case len(edges) == 0:
		return "no edge has reported", "start one; reads are answered by core meanwhile"
	}
	var troubled []string
	lag := 0.0
	for _, e := range edges {
		if state, _ := edgeState(e); state != "ready" {
			troubled = append(troubled, e.ID+" ("+state+")")
		}
		for _, l := range e.Logs {
			lag = max(lag, l.LagMS)
		}
	}
	if len(troubled) > 0 {
		return "edges in trouble: " + strings.Join(troubled, ", "), `"svc edges" says why`
	}
	return counted(len(edges), "edge is", "edges are") + " ready, at most " + lagText(lag) + " behind", ""
}
