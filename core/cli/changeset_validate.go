package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
)

// validation is what publishing a change set would be refused for.
type validation struct {
	ChangeSetID string         `json:"changeSetId"`
	Valid       bool           `json:"valid"`
	Detail      string         `json:"detail,omitempty"`
	Errors      []issue        `json:"errors"`
	Warnings    []wire.Warning `json:"warnings"`
}

// maxReferrers is how many referrers a warning shows to a person; --json has all that the service names.
const maxReferrers = 5

func (p *page) changeSetWarnings(all []wire.Warning) {
	for _, w := range all {
		var ids []string
		for _, id := range w.ReferencedBy[:min(maxReferrers, len(w.ReferencedBy))] {
			ids = append(ids, string(id))
		}
		if hidden := len(w.ReferencedBy) - len(ids); hidden > 0 {
			ids = append(ids, "and "+count(hidden)+" more")
		}
		p.labelled(yellow, "warning:", w.ResourceID+gap+w.Message+": "+strings.Join(ids, ", "))
	}
}

func (a *app) changeSetValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate CHANGE-SET",
		Short: "Tell what publishing would be refused for",
		Long:  "Tell what publishing would be refused for; nothing is changed. A change set that does not validate exits with 4; warnings keep none from being published.",
	}
	return a.inProject(cmd, publish, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		answer, err := ask(a, "validating", func() (wire.Validation, error) { return a.client.Validate(ctx, a.project, args[0]) })
		if err != nil {
			return err
		}
		v := validation{args[0], answer.Valid, answer.Detail, issuesOf(answer.Errors), answer.Warnings}
		return cmp.Or(a.answer(v, v.show), outcome(!v.Valid, ExitValidation))
	})
}

func (v validation) show(p *page) {
	defer p.changeSetWarnings(v.Warnings)
	switch {
	case v.Valid:
		p.line("%s: %s can be published", p.paint(green, "valid"), v.ChangeSetID)
		return
	case len(v.Errors) == 0:
		p.line("%s: %s", p.paint(red, "not valid"), v.Detail)
		return
	}
	p.line("%s: %s", p.paint(red, "not valid"), counted(len(v.Errors), "error", "errors"))
	var t table
	t.row(plain, "RESOURCE", "PATH", "CODE", "MESSAGE")
	for _, e := range v.Errors {
		t.row(yellow, orDash(e.ResourceID), orDash(e.Path), orDash(e.Code), e.Message)
	}
	p.table(t)
}

func checkChangeSet(id string) error {
	if !content.IsID[content.ChangeSetID](id) {
		return usage(`"svc change-sets list" shows the ids`, "%q is no id of a change set (chs_…)", id)
	}
	return nil
}
