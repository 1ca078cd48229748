package schemadeploy

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// compare plans the way from what is in force to what is proposed. The plan tells a collection that comes back from a new
// one, for it brings the entries that it had when it was removed.
func compare(set, gone Set, proposed []*schema.Collection) diff.Plan {
	plan := diff.Diff(set.Schemas(), proposed)
	for _, c := range proposed {
		d := gone.Get(c.Name)
		if d == nil {
			continue
		}
		for i := range plan.Operations {
			if o := &plan.Operations[i]; o.Collection == c.Name && o.Kind == diff.CollectionAdded {
				o.Message = comesBack(d, c)
			}
		}
	}
	return plan
}

func comesBack(d *Deployed, c *schema.Collection) string {
	if d.Hash == c.Hash() {
		return fmt.Sprintf("the collection comes back as it was when it was removed (version %d), with the entries that it had", d.Version)
	}
	return fmt.Sprintf("the collection comes back, with %s and the entries that it had when it was removed (version %d); where one does not fit, "+
		"push version %d again, delete the entry in a change set and publish it, then deploy this", schema.Count(len(c.Fields), "field"), d.Version, d.Version)
}

// remove takes a collection out of force. The locales of the project are kept with it: they may change until it comes back,
// and no one looks at its entries then.
func remove(batch *pgx.Batch, id content.ProjectID, name string) {
	batch.Queue(`UPDATE collection c SET removed_at = now(), updated_at = now(),
			removed_locales = p.locales, removed_default_locale = p.default_locale
		FROM project p WHERE p.id = c.project_id AND c.project_id = $1 AND c.name = $2`, id, name)
}

// removedUnder returns the project with the locales that it had when a collection was removed; with those of today where
// they are not known.
func removedUnder(ctx context.Context, q postgres.Querier, p *project.Project, name string) (*project.Project, error) {
	then := *p
	err := q.QueryRow(ctx, `
		SELECT coalesce(removed_locales, $3), coalesce(removed_default_locale, $4) FROM collection WHERE project_id = $1 AND name = $2`,
		p.ID, name, append([]string{}, p.Locales...), p.DefaultLocale).Scan(&then.Locales, &then.DefaultLocale)
	if err != nil {
		return nil, fmt.Errorf("reading under which locales %s was removed: %w", name, err)
	}
	return &then, nil
}

func sameLocales(a, b *project.Project) bool {
	return a.DefaultLocale == b.DefaultLocale && slices.Equal(a.Locales, b.Locales)
}
