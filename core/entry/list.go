package entry

import (
	"context"
	"fmt"
	"slices"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

// Filter selects entries. Without a status, all but deleted ones.
type Filter struct {
	Collection string // empty: every collection the actor may see
	Status     Status
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
	// Each collection gives a page's worth along its index; the newest of those are the page.
	rows, err := q.Query(ctx, selectEntry+`
		JOIN (SELECT n.id FROM unnest($2::text[]) AS c(name) CROSS JOIN LATERAL (
		        SELECT e.id FROM entry e WHERE e.project_id = $1 AND e.collection = c.name AND ($3::text IS NULL OR e.id < $3)
		          AND `+where+` ORDER BY e.id DESC LIMIT $4) n
		      ORDER BY n.id DESC LIMIT $4) chosen ON chosen.id = e.id
		ORDER BY e.id DESC`, project, collections, after, page.Size()+1)
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
func visible(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, only string) ([]string, error) {
	set, err := schemadeploy.Load(ctx, q, project)
	if err != nil {
		return nil, err
	}
	if only != "" {
		if _, err := set.Require(only); err != nil {
			return nil, err
		}
		return []string{only}, access.Confine(actor, only)
	}
	confined, isConfined := access.Confined(actor)
	names := []string{}
	for _, d := range set {
		if !isConfined || slices.Contains(confined, d.Schema.Name) {
			names = append(names, d.Schema.Name)
		}
	}
	return names, nil
}
