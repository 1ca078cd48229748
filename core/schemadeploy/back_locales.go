package schemadeploy

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
)

// remove takes a collection out of force. The locales of the project are kept with it: they may change until it comes back,
// and nobody looks at its entries then.
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
