package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/schema"
)

type translations struct {
	Collections []wire.Coverage `json:"collections"`
}

func (a *app) schemaTranslationsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "translations [COLLECTION]",
		Short: "Show how far content is translated",
		Long: `Show for each locale how many entries are complete, what part of all localized fields is filled, and which are missing
most often; of one collection also the entries to work on first. Drafts count where there are some. Without a collection
it goes through every deployed one that has localized fields, which needs the scope schema:read beside content:read.`,
	}
	cmd.ValidArgsFunction = a.completeArgument((*app).completeCollections)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		c, project, err := a.connectProject(publish)
		if err != nil {
			return err
		}
		out := translations{Collections: []wire.Coverage{}}
		err = a.during(ctx, "counting", nil, func(ctx context.Context) error {
			names := args
			if len(names) == 0 {
				if names, err = localized(ctx, c, project); err != nil {
					return err
				}
			}
			for _, name := range names {
				found, err := c.Translations(ctx, project, name)
				if err != nil {
					return err
				}
				out.Collections = append(out.Collections, found)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return a.answer(out, func(p *page) { out.show(p, len(args) > 0) })
	})
}

// localized lists the deployed collections that have something to translate.
func localized(ctx context.Context, c *client.Client, project string) ([]string, error) {
	deployed, err := c.Schema(ctx, project)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range deployed.Collections {
		parsed, err := schema.Parse(d.Schema)
		if err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", d.Name, err)
		}
		for _, f := range parsed.Fields {
			if f.Localized {
				names = append(names, d.Name)
				break
			}
		}
	}
	return names, nil
}

// show is a table of all locales of all collections; in detail, with what is to be done in each.
func (t translations) show(p *page, detail bool) {
	rows := table{head: []string{"COLLECTION", "LOCALE", "COMPLETE", "FILLED", "MISSING MOST OFTEN"}, flex: 4}
	for _, c := range t.Collections {
		for _, l := range c.Locales {
			look := green
			if l.Complete < c.Entries {
				look = yellow
			}
			rows.row(painted(bold, c.Collection), text(l.Locale), painted(look, fmt.Sprintf("%d of %d", l.Complete, c.Entries)),
				text(strconv.FormatFloat(l.Percent, 'f', -1, 64)+"%"), text(missing(l)))
		}
	}
	if len(rows.rows) == 0 {
		p.line("There is nothing to translate: a field is translated where it is localized and the project has locales.")
		return
	}
	p.table(rows)
	if !detail {
		return
	}
	for _, l := range t.Collections[0].Locales {
		p.showWorklist(l, t.Collections[0].Entries)
	}
}

// missing names the fields that are missing most often, with their numbers.
func missing(l wire.LocaleCoverage) string {
	const most = 3
	var parts []string
	for i, m := range l.Missing {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%d)", m.Field, m.Entries))
	}
	return strings.Join(parts, ", ")
}

func (p *page) showWorklist(l wire.LocaleCoverage, entries int) {
	if len(l.Worklist) == 0 {
		return
	}
	p.line("")
	p.line("%s to work on, %d of %d:", p.paint(bold, clean(l.Locale)), len(l.Worklist), entries-l.Complete)
	t := table{flex: 2}
	for _, e := range l.Worklist {
		slug := ""
		if e.Slug != nil {
			slug = *e.Slug
		}
		t.row(text(string(e.Entry)), text(slug), text(strings.Join(e.Fields, ", ")))
	}
	p.table(t)
}
