package cli

import (
	"context"

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
Content that does not fit exits with 4, since a push would be refused.`,
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
	switch {
	case pl.InSync:
		p.line("In sync: the deployed schemas are those of the folder.")
	case pl.ContentErrorCount > 0:
		p.paragraph(pl.summary() + "; a push would be refused: " + counted(pl.ContentErrorCount, "content error", "content errors"))
	case pl.Classification == string(diff.Destructive):
		p.paragraph(pl.summary() + "; a push needs --allow-destructive")
	default:
		p.paragraph(pl.summary())
	}
}
