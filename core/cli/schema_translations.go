package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
	return a.inProject(cmd, publish, func(ctx context.Context, args []string) error {
		return reply(a, "counting", func() (out translations, err error) {
			out.Collections = []wire.Coverage{}
			names := args
			if len(names) == 0 {
				if names, err = a.localized(ctx); err != nil {
					return out, err
				}
			}
			for _, name := range names {
				found, err := a.client.Translations(ctx, a.project, name)
				if err != nil {
					return out, err
				}
				out.Collections = append(out.Collections, found)
			}
			return out, nil
		}, func(t translations, p *page) { t.show(p, len(args) > 0) })
	})
}

// localized lists the deployed collections that have something to translate.
func (a *app) localized(ctx context.Context) ([]string, error) {
	deployed, err := a.client.Schema(ctx, a.project)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range deployed.Collections {
		parsed, err := schema.Parse(d.Schema)
		if err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", d.Name, err)
		}
		if slices.ContainsFunc(parsed.Fields, func(f *schema.Field) bool { return f.Localized }) {
			names = append(names, d.Name)
		}
	}
	return names, nil
}

// show is a table of all locales of all collections; in detail, with what is to be done in each.
func (t translations) show(p *page, detail bool) {
	var rows table
	rows.row(plain, "COLLECTION", "LOCALE", "COMPLETE", "FILLED", heading("MISSING MOST OFTEN"))
	for _, c := range t.Collections {
		for _, l := range c.Locales {
			look := green
			if l.Complete < c.Entries {
				look = yellow
			}
			rows.row(look, c.Collection, l.Locale, fmt.Sprintf("%d of %d", l.Complete, c.Entries),
				strconv.FormatFloat(l.Percent, 'f', -1, 64)+"%", missing(l))
		}
	}
	if len(rows) == 1 {
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
	p.line("%s to work on, %d of %d:", p.paint(bold, l.Locale), len(l.Worklist), entries-l.Complete)
	var t table
	for _, e := range l.Worklist {
		t.row(plain, e.Entry, deref(e.Slug), strings.Join(e.Fields, ", "))
	}
	p.table(t)
}
