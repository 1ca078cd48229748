package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/schema/diff"
)

func (a *app) schemaDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show what a push would do",
		Long: `Show what pushing the schema folder would do; nothing is changed. Every change has a mark:
  +  safe
  ~  conditionally destructive: succeeds only where all content fits, and "content error:" lines name what does not
  !  destructive: content is lost; a push needs --allow-destructive
Content that does not fit exits with 4, since a push would be refused. It needs the scope schema:read; without content:read
beside it the plan is shown alone, and content is not checked.`,
	}
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		set, c, project, err := a.proposal(ctx, ordinary)
		if err != nil {
			return err
		}
		var answer client.Plan
		err = a.during(ctx, "comparing "+counted(len(set.Collections), "collection", "collections"), nil, func(ctx context.Context) (err error) {
			answer, err = c.DiffSchema(ctx, project, set.Canonical())
			return err
		})
		if err != nil {
			return a.inFiles(a.settings.schemaDir.value, set, err)
		}
		plan := planOf(answer)
		if err := a.answer(plan, plan.showDiff); err != nil {
			return err
		}
		if plan.ContentErrorCount > 0 {
			return outcome(ExitValidation)
		}
		return nil
	})
}

func (pl plan) showDiff(p *page) {
	p.showOperations(pl.Operations)
	p.showContentErrors(pl)
	if pl.InSync {
		p.line("In sync: the deployed schemas are those of the folder.")
	} else {
		p.paragraph(strings.Join(append([]string{pl.summary()}, pl.obstacles()...), "; "))
		p.showUnchecked(pl)
	}
	if len(pl.ConfinedTo) > 0 {
		p.labelled(yellow, "not everything:", "the key sees the collections "+strings.Join(pl.ConfinedTo, ", ")+" alone; a push needs one that sees all")
	}
}

// obstacles says what a push would be refused for, and what it needs.
func (pl plan) obstacles() []string {
	var out []string
	if pl.ContentErrorCount > 0 {
		out = append(out, "a push would be refused: "+counted(pl.ContentErrorCount, "content error", "content errors"))
	}
	if pl.Classification == string(diff.Destructive) {
		out = append(out, "a push needs --allow-destructive")
	}
	return out
}

// showUnchecked says that nothing is known of content, where a push will look at it.
func (p *page) showUnchecked(pl plan) {
	if !pl.ContentChecked {
		p.labelled(yellow, "content was not checked:", "the key lacks content:read; a push is refused where content does not fit")
	}
}
