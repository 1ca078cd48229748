package project

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/shared/credential"
	"svc/shared/fault"
)

const (
	maxLocales      = 100
	maxLocaleLength = 35
)

// localeShape is that of a BCP 47 tag: language, script, region, variants, extensions, private use.
var localeShape = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?` +
	`(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[A-WYZa-wyz0-9](-[A-Za-z0-9]{2,8})+)*(-x(-[A-Za-z0-9]{1,8})+)?$`)

// IsLocale reports whether s has the form of a locale code, such as "en" or "pt-BR".
func IsLocale(s string) bool { return len(s) <= maxLocaleLength && localeShape.MatchString(s) }

// checkLocales checks the locales and that the default is one of them; without locales there is no default.
func checkLocales(locales []string, def string) error {
	if len(locales) > maxLocales {
		return fault.Invalid("locales", "must have at most %d members; it has %d", maxLocales, len(locales))
	}
	seen := map[string]bool{}
	for i, l := range locales {
		path := fmt.Sprintf("locales[%d]", i)
		if !IsLocale(l) {
			return fault.Invalid(path, "must be a locale code, such as en or pt-BR")
		}
		if low := strings.ToLower(l); seen[low] {
			return fault.Invalid(path, "the locale %s is listed twice", l)
		} else {
			seen[low] = true
		}
	}
	switch {
	case len(locales) == 0 && def != "":
		return fault.Invalid("defaultLocale", "must be empty while the project has no locales")
	case len(locales) > 0 && !slices.Contains(locales, def):
		return fault.Invalid("defaultLocale", "must be one of the project's locales: %s", strings.Join(locales, ", "))
	}
	return nil
}

// keepUsedLocales refuses to remove a locale for which some entry's published or draft head has a value. Only an actor who
// may read content learns which.
func keepUsedLocales(ctx context.Context, tx pgx.Tx, actor *access.Actor, before, after *Project) error {
	removed := slices.DeleteFunc(slices.Clone(before.Locales), func(l string) bool { return slices.Contains(after.Locales, l) })
	if len(removed) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		WITH localized AS (
			SELECT c.name, f.key FROM collection c
			JOIN collection_version v ON (v.project_id, v.name, v.version) = (c.project_id, c.name, c.version),
			LATERAL json_each(v.canonical::json -> 'fields') f
			WHERE c.project_id = $1 AND c.removed_at IS NULL AND f.value ->> 'localized' = 'true'),
		head AS (
			SELECT id AS entry, collection, published_revision_id AS revision FROM entry
			WHERE project_id = $1 AND deleted_at IS NULL AND published_revision_id IS NOT NULL
			UNION SELECT id, collection, draft_revision_id FROM entry
			WHERE project_id = $1 AND deleted_at IS NULL AND draft_revision_id IS NOT NULL
			UNION SELECT e.id, e.collection, i.target_revision_id FROM change_set s
			JOIN change_set_item i ON i.change_set_id = s.id AND i.resource_type = 'entry' AND i.target_revision_id IS NOT NULL
			JOIN entry e ON e.id = i.resource_id AND e.deleted_at IS NULL
			WHERE s.project_id = $1 AND s.status IN ('open', 'ready'))
		SELECT DISTINCT h.entry FROM head h
		JOIN localized l ON l.name = h.collection
		JOIN revision r ON r.id = h.revision, unnest($2::text[]) AS gone(locale)
		WHERE r.fields::json #> ARRAY[l.key, gone.locale] IS NOT NULL
		ORDER BY h.entry LIMIT 100`, before.ID, removed)
	if err != nil {
		return fmt.Errorf("looking for uses of a locale: %w", err)
	}
	entries, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("looking for uses of a locale: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	f := fault.New(fault.Conflict, "entries still have values in a locale that would go (%s); clear them first", strings.Join(removed, ", "))
	if !access.Carries(actor, credential.ContentRead) {
		f.Detail += "; the API key does not carry the scope content:read, so they are not named"
		return f
	}
	f.EntryIDs = entries
	return f
}
