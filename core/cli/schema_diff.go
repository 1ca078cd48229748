package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/schema/diff"
)

func (a *app) schemaDiffCommand() *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show what a push would do",
		Long: `Show what pushing the schema folder would do; nothing is changed. Every change has a mark:
  +  safe
  ~  conditionally destructive: refused where content does not fit it
  !  destructive: content is lost; a push needs --allow-destructive

Content that does not fit exits with 4, since a push would be refused; with --exit-code, so does any difference, and 0 says
that folder and project are in sync. It needs the scope schema:read; without content:read
beside it the plan is shown alone, and content is not checked.`,
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 4 where anything differs, as a check for CI")
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		set, err := a.proposal(ctx, "", ordinary)
		if err != nil {
			return err
		}
		plan, err := ask(a, "comparing "+counted(len(set.Collections), "collection", "collections"), func() (wire.Plan, error) { return a.client.DiffSchema(ctx, a.project, set.Canonical()) })
		if err != nil {
			return a.inFiles(a.settings.schemaDir.value, set, err)
		}
		back := a.waysBack(ctx, plan)
		err = a.answer(plan, func(p *page) { p.showDiff(plan, a.project, back) })
		return cmp.Or(err, outcome(plan.ContentErrorCount > 0 || exitCode && !plan.InSync, ExitValidation))
	})
}

func (p *page) showDiff(pl wire.Plan, project string, back []string) {
	p.showOperations(pl.Operations)
	p.showContentErrors(pl)
	for _, command := range back {
		p.labelled(cyan, "hint:", command+" prints the file that it had at last")
	}
	if pl.InSync {
		p.line("In sync: the schemas deployed to %s are those of the folder.", project)
	} else {
		says := summaryOf(pl.Operations, " to "+project)
		if pl.ContentErrorCount > 0 {
			says += "; a push would be refused: " + counted(pl.ContentErrorCount, "content error", "content errors")
		}
		if pl.Classification == diff.Destructive {
			says += "; a push needs --allow-destructive"
		}
		p.line("%s", p.wrap(says, 0))
		if !pl.ContentChecked {
			p.labelled(yellow, "content was not checked:", "the key lacks content:read; a push is refused where content does not fit")
		}
	}
	if len(pl.ConfinedTo) > 0 {
		p.labelled(yellow, "not everything:", "the key sees the collections "+strings.Join(pl.ConfinedTo, ", ")+" alone; a push needs one that sees all")
	}
}

// waysBack are commands that print the newest version of each collection that a push would add and whose content does not
// fit: it was there before. What cannot be asked is left out, since the plan stands without.
func (a *app) waysBack(ctx context.Context, pl wire.Plan) []string {
	var commands []string
	for _, o := range pl.Operations {
		stuck := slices.ContainsFunc(pl.ContentErrors, func(e wire.ContentError) bool { return e.Collection == o.Collection })
		if !stuck || o.Kind != diff.CollectionAdded || a.asJSON {
			continue
		}
		if newest, err := a.client.NewestVersion(ctx, a.project, o.Collection); err == nil {
			commands = append(commands, a.typed("schema", "inspect", o.Collection, "--version", decimal(uint64(newest.Number)), "--source"))
		}
	}
	return commands
}
