// Package account owns organizations and their API keys. Every change goes to the organization's log in the same
// transaction, so that edges know it.
package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
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

// maxName bounds names and labels, in characters.
const maxName = 200

// Organization owns projects and keys.
type Organization struct {
	ID        content.OrganizationID
	Slug      string
	Name      string
	CreatedAt time.Time
}

// NewOrganization is what an organization is made from. Without a name it is called by its slug.
type NewOrganization struct {
	Slug string
	Name string
}

// Founded is a new organization with its first key, whose secret is shown this once.
type Founded struct {
	Organization Organization
	Key          Key
	Secret       string
}

// CreateOrganization makes an organization, and a first key with the actor's scopes and expiry, without which nobody
// could enter it.
func CreateOrganization(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, in NewOrganization, keyLabel string) (Founded, error) {
	var out Founded
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		out, err = found(ctx, tx, actor, in, keyLabel)
		return err
	})
	return out, err
}

// found makes the organization, its log and its first key.
func found(ctx context.Context, tx pgx.Tx, actor *access.Actor, in NewOrganization, keyLabel string) (out Founded, err error) {
	org := Organization{ID: content.NewID[content.OrganizationID](), Slug: in.Slug, Name: strings.TrimSpace(in.Name)}
	if org.Name == "" {
		org.Name = org.Slug
	}
	if err := checkSlugAndName(org.Slug, org.Name); err != nil {
		return out, err
	}
	err = tx.QueryRow(ctx, `INSERT INTO organization (id, slug, name) VALUES ($1, $2, $3) RETURNING created_at`,
		org.ID, org.Slug, org.Name).Scan(&org.CreatedAt)
	if err != nil {
		return out, slugTaken(err, org.Slug)
	}
	if err := changelog.Create(ctx, tx, string(org.ID)); err != nil {
		return out, err
	}
	if err := recordChange(ctx, tx, actor, &org, event.OrganizationCreate, false); err != nil {
		return out, err
	}
	key, secret, err := mint(ctx, tx, actor, NewKey{
		Organization: org.ID, Label: keyLabel, Scopes: scopesOf(actor), ExpiresAt: expiryOf(actor),
	})
	return Founded{Organization: org, Key: key, Secret: secret}, err
}

// GetOrganization returns the organization with this id or slug. Whether the caller may see it is for package
// access to say; an organization of somebody else answers with the same words as none.
func GetOrganization(ctx context.Context, q postgres.Querier, ref string) (*Organization, error) {
	var o Organization
	err := q.QueryRow(ctx, `
		SELECT id, slug, name, created_at FROM organization
		WHERE (id = $1 OR slug = $1) AND deleted_at IS NULL`, ref).Scan(&o.ID, &o.Slug, &o.Name, &o.CreatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "there is no such organization")
	}
	if err != nil {
		return nil, fmt.Errorf("reading an organization: %w", err)
	}
	return &o, nil
}

// ListOrganizations returns the organizations that the actor belongs to, newest first.
func ListOrganizations(ctx context.Context, q postgres.Querier, actor *access.Actor, page postgres.Page) (postgres.Listing[Organization], error) {
	var none postgres.Listing[Organization]
	after, err := page.After()
	if err != nil {
		return none, err
	}
	rows, err := q.Query(ctx, `
		SELECT id, slug, name, created_at FROM organization
		WHERE deleted_at IS NULL AND ($1 = '' OR id = $1) AND ($2::text IS NULL OR id < $2)
		ORDER BY id DESC LIMIT $3`, actor.Organization, after, page.Size()+1)
	if err != nil {
		return none, fmt.Errorf("listing organizations: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Organization])
	if err != nil {
		return none, fmt.Errorf("listing organizations: %w", err)
	}
	return postgres.NewListing(page, found, func(o Organization) string { return string(o.ID) }), nil
}

func checkSlugAndName(slug, name string) error {
	if !schema.IsSlug(slug) {
		return fault.Invalid("slug", "must be "+schema.SlugRule)
	}
	if n := utf8.RuneCountInString(name); n > maxName {
		return fault.Invalid("name", "must have at most %d characters; it has %d", maxName, n)
	}
	return nil
}

// Bootstrap makes the first organization of a deployment and its key with every scope. It is CONFLICT once the
// deployment has an organization.
func Bootstrap(ctx context.Context, pool *pgxpool.Pool, in NewOrganization, keyLabel string) (Founded, error) {
	var out Founded
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, postgres.BootstrapLock); err != nil {
			return fmt.Errorf("locking the first organization: %w", err)
		}
		var slug string
		err = tx.QueryRow(ctx, `SELECT coalesce((SELECT slug FROM organization ORDER BY id LIMIT 1), '')`).Scan(&slug)
		if err != nil {
			return fmt.Errorf("looking for organizations: %w", err)
		}
		if slug != "" {
			return fault.New(fault.Conflict, "this deployment already has an organization (%s); make further keys with one of its own", slug)
		}
		out, err = found(ctx, tx, access.System(), in, keyLabel)
		return err
	})
	return out, err
}
