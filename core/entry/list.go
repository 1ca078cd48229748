package entry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/search"
)

// Filter selects entries. Without a status, all but deleted ones.
type Filter struct {
	Collection string // empty: every collection the actor may see
	Status     Status
	// UpdatedSince selects entries that were edited, or changed by a release, or discarded, at this time or later; nil: at any.
	UpdatedSince *time.Time
	UpdatedBy    *string // id of the author of the newest revision; nil: anyone
	// Slug selects entries that are published with this slug, or that are drafts with it, or for which an open or ready set proposes
	// it; with StatusDeleted, those whose last draft has it. Empty: any.
	Slug string
	// Search selects entries by the texts of their drafts, in all locales.
	Search search.Query
}

var statusFilters = map[Status]string{
	"":                `e.deleted_at IS NULL`,
	StatusDraft:       `e.deleted_at IS NULL AND e.last_published_revision_id IS NULL`,
	StatusPublished:   `e.deleted_at IS NULL AND e.published_revision_id IS NOT NULL`,
	StatusUnpublished: `e.deleted_at IS NULL AND e.published_revision_id IS NULL AND e.last_published_revision_id IS NOT NULL`,
	StatusDeleted:     `e.deleted_at IS NOT NULL`,
	StatusChanged: `e.deleted_at IS NULL AND e.published_revision_id IS NOT NULL AND EXISTS (
		SELECT FROM change_set_item i
		WHERE i.resource_type = 'entry' AND i.resource_id = e.id AND i.live AND i.operation = 'update')`,
}

// updated holds for an entry e that was edited, or changed by a release, or discarded since $5, if that is given, and that was edited
// last by $6, if that is.
const updated = ` AND ($5::timestamptz IS NULL AND $6::text IS NULL OR EXISTS (
	SELECT FROM (SELECT created_at, created_by FROM revision WHERE entry_id = e.id ORDER BY id DESC LIMIT 1) newest
	LEFT JOIN release l ON l.project_id = e.project_id AND l.number = CASE WHEN e.published_revision_id IS NOT NULL
		THEN e.published_release ELSE (SELECT max(number) FROM release_item WHERE entry_id = e.id) END
	WHERE ($5 IS NULL OR greatest(newest.created_at, l.published_at, e.deleted_at) >= $5) AND ($6 IS NULL OR newest.created_by = $6)))`

// hasSlug holds for an entry e of the collection c.name that Filter.Slug selects, by the $n-th parameter. Each look-up is by an index
// that is made for it (migration 7), and the array lets the entries be looked up by what they find.
const hasSlug = ` AND e.id = ANY (ARRAY(
	SELECT id FROM entry WHERE project_id || '/' || collection || '/' || published_slug = $1::text || '/' || c.name || '/' || $n
	UNION ALL SELECT id FROM entry WHERE project_id || '/' || collection || '/' || draft_slug = $1::text || '/' || c.name || '/' || $n
	  AND published_revision_id IS NULL AND deleted_at IS NULL
	UNION ALL SELECT resource_id FROM change_set_item WHERE CASE WHEN live THEN slug END = $n))`

// hadSlug is hasSlug for deleted entries (migration 14).
const hadSlug = ` AND e.id = ANY (ARRAY(
	SELECT id FROM entry WHERE project_id || '/' || collection || '/' || draft_slug = $1::text || '/' || c.name || '/' || $n
	  AND deleted_at IS NOT NULL))`

// List returns entries with their heads, newest first.
func List(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, f Filter, page postgres.Page) (postgres.Listing[*Entry], error) {
	var none postgres.Listing[*Entry]
	after, err := page.After()
	if err != nil {
		return none, err
	}
	where, known := statusFilters[f.Status]
	if !known {
		return none, fault.Invalid("status", "must be one of draft, published, changed, unpublished, deleted")
	}
	collections, err := visible(ctx, q, actor, project, f.Collection)
	if err != nil {
		return none, err
	}
	args := []any{project, collections.Names(), after, page.Size() + 1, f.UpdatedSince, f.UpdatedBy}
	where += updated
	if len(f.Search.Clauses) > 0 {
		if err := bringAllWords(ctx, q, project, collections); err != nil {
			return none, err
		}
		phrases, excluded := phrases(f.Search)
		where, args = where+matchesWords, append(args, phrases, excluded)
	}
	if f.Slug != "" {
		args = append(args, f.Slug)
		look := hasSlug
		if f.Status == StatusDeleted {
			look = hadSlug
		}
		where += strings.ReplaceAll(look, "$n", fmt.Sprintf("$%d::text", len(args)))
	}
	// Each collection gives a page's worth along its index; the newest of those are the page.
	rows, err := q.Query(ctx, selectEntry+`
		JOIN (SELECT n.id FROM unnest($2::text[]) AS c(name) CROSS JOIN LATERAL (
		        SELECT e.id FROM entry e WHERE e.project_id = $1 AND e.collection = c.name AND ($3::text IS NULL OR e.id < $3)
		          AND `+where+` ORDER BY e.id DESC LIMIT $4) n
		      ORDER BY n.id DESC LIMIT $4) chosen ON chosen.id = e.id
		ORDER BY e.id DESC`, args...)
	if err != nil {
		return none, fmt.Errorf("listing entries: %w", err)
	}
	list, err := postgres.CollectPage(page, rows, scanEntry, (*Entry).size, func(e *Entry) string { return string(e.ID) })
	if err != nil {
		return none, fmt.Errorf("listing entries: %w", err)
	}
	return list, nil
}

// size is that of the content, in bytes.
func (e *Entry) size() int { return e.Published.size() + e.Draft.size() }

// visible returns the collections that a list runs over.
func visible(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, only string) (schemadeploy.Set, error) {
	set, err := schemadeploy.Load(ctx, q, project)
	if err != nil {
		return nil, err
	}
	if only != "" {
		d, err := set.Require(only)
		if err != nil {
			return nil, err
		}
		return schemadeploy.Set{d}, access.Confine(actor, only)
	}
	if confined, isConfined := access.Confined(actor); isConfined {
		set = slices.DeleteFunc(set, func(d *schemadeploy.Deployed) bool { return !slices.Contains(confined, d.Schema.Name) })
	}
	return set, nil
}
