package project

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changelog"
	"svc/core/event"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

const (
	maxName     = 200   // characters
	maxGuidance = 20000 // characters
)

// NewProject is what a project is made from. Without a name it is called by its slug.
type NewProject struct {
	Name string
	Slug string
}

// Create makes a project in an organization. Slugs are unique in the whole deployment; a taken one is CONFLICT.
func Create(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, org content.OrganizationID, in NewProject) (*Project, error) {
	p := &Project{ID: content.NewID[content.ProjectID](), Organization: org, Slug: in.Slug, Name: strings.TrimSpace(in.Name)}
	if p.Name == "" {
		p.Name = p.Slug
	}
	if !schema.IsSlug(p.Slug) {
		return nil, fault.Invalid("slug", "must be "+schema.SlugRule)
	}
	if err := checkName(p.Name); err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	rand.Read(key)
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		if err := holdOrganization(ctx, tx, org); err != nil {
			return err
		}
		made, err := insert(ctx, tx, p, key)
		if err != nil {
			return err
		}
		p = made
		audit := event.Record{Organization: org, Project: p.ID, Action: event.ProjectCreate, Subject: string(p.ID)}
		if err := event.Audit(ctx, tx, actor, audit); err != nil {
			return err
		}
		if err := changelog.Create(ctx, tx, string(p.ID)); err != nil {
			return err
		}
		return appendTo(ctx, tx, p, 1, false)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// holdOrganization keeps the organization from being deleted meanwhile.
func holdOrganization(ctx context.Context, tx pgx.Tx, org content.OrganizationID) error {
	tag, err := tx.Exec(ctx, `SELECT FROM organization WHERE id = $1 AND deleted_at IS NULL FOR KEY SHARE`, org)
	if err != nil {
		return fmt.Errorf("holding an organization: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return fault.New(fault.NotFound, "there is no such organization")
	}
	return nil
}

func insert(ctx context.Context, tx pgx.Tx, p *Project, cursorKey []byte) (*Project, error) {
	made, err := get(ctx, tx, `INSERT INTO project (id, organization_id, slug, name, cursor_key)
		VALUES ($1, $2, $3, $4, $5) RETURNING `+columns, p.ID, p.Organization, p.Slug, p.Name, cursorKey)
	if err != nil {
		return nil, postgres.MapError(err, map[string]*fault.Error{
			"project_slug_key": fault.New(fault.Conflict, "the project slug %q is taken", p.Slug),
		})
	}
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO release_head (project_id) VALUES ($1)`, p.ID)
	batch.Queue(`INSERT INTO project_locales (project_id, from_release, locales, default_locale) VALUES ($1, 1, '{}', '')`, p.ID)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("preparing a project: %w", err)
	}
	return made, nil
}

func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > maxName {
		return fault.Invalid("name", "must have 1 to %d characters; it has %d", maxName, n)
	}
	return nil
}
