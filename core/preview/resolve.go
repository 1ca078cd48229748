package preview

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/read"
)

// Resolved is what a preview token shows.
type Resolved struct {
	Token     Token
	Project   *project.Project
	ChangeSet *changeset.ChangeSet
	// Collection and Slug are those of the entry that it is about; Slug, that of its draft, is nil where it has none.
	Collection string
	Slug       *string
}

// Resolve says what a verified token shows; where the change set was closed, the fault is AUTHENTICATION_REQUIRED.
func Resolve(ctx context.Context, pool *pgxpool.Pool, p *read.Preview) (r Resolved, err error) {
	if r.Token, err = GetToken(ctx, pool, access.System(), p.Project, string(p.ID)); err != nil {
		return r, err
	}
	if r.Project, err = project.Get(ctx, pool, string(p.Project)); err != nil {
		return r, err
	}
	if r.ChangeSet, err = changeset.Get(ctx, pool, p.Project, string(p.ChangeSet)); err != nil {
		return r, err
	}
	if r.ChangeSet.Status == content.ChangeSetClosed {
		return r, closedSet()
	}
	if p.Entry == "" {
		return r, nil
	}
	err = pool.QueryRow(ctx, `SELECT e.collection, coalesce(i.slug, e.published_slug) FROM entry e
		LEFT JOIN change_set_item i ON i.change_set_id = $2 AND i.resource_type = 'entry' AND i.resource_id = e.id AND i.live
		WHERE e.id = $1`, p.Entry, p.ChangeSet).Scan(&r.Collection, &r.Slug)
	if err != nil {
		return r, failed(err, "reading the entry of a preview")
	}
	schemas, err := schemadeploy.Load(ctx, pool, p.Project)
	if d := schemas.Get(r.Collection); d == nil || !d.Schema.HasSlug() { // as reads show it
		r.Slug = nil
	}
	return r, err
}
