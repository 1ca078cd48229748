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
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
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
	Plan      Plan
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

// CreateOrganization makes an organization, and a first key with the actor's scopes and expiry, without which no one
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
	err = tx.QueryRow(ctx, `INSERT INTO organization (id, slug, name) VALUES ($1, $2, $3) RETURNING plan, created_at`,
		org.ID, org.Slug, org.Name).Scan(&org.Plan, &org.CreatedAt)
	if err != nil {
		return out, slugTaken(err, org.Slug)
	}
	if err := changelog.Create(ctx, tx, string(org.ID)); err != nil {
		return out, err
	}
	if err := recordChange(ctx, tx, actor, &org, event.OrganizationCreate, false); err != nil {
		return out, err
	}
	first := NewKey{Organization: org.ID, Label: keyLabel, Scopes: credential.Scopes()}
	if actor.Grant != nil {
		first.Scopes, first.ExpiresAt = actor.Grant.Scopes, actor.Grant.ExpiresAt
	}
	key, secret, err := mint(ctx, tx, actor, first)
	return Founded{Organization: org, Key: key, Secret: secret}, err
}

// GetOrganization returns the organization with this id or slug. Whether the caller may see it is for package
// access to say; an organization of somebody else answers with the same words as none.
func GetOrganization(ctx context.Context, q postgres.Querier, ref string) (*Organization, error) {
	return organization(ctx, q, `WHERE (id = $1 OR slug = $1) AND deleted_at IS NULL`, ref)
}

const organizations = `SELECT id, slug, name, plan, created_at FROM organization `

func organization(ctx context.Context, q postgres.Querier, where string, ref string) (*Organization, error) {
	rows, _ := q.Query(ctx, organizations+where, ref) // reading the row tells its error too
	o, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[Organization])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fault.New(fault.NotFound, "there is no such organization")
	case err != nil:
		return nil, fmt.Errorf("reading an organization: %w", err)
	}
	return o, nil
}

// ListOrganizations returns the organizations that the actor belongs to, newest first.
func ListOrganizations(ctx context.Context, q postgres.Querier, actor *access.Actor, page postgres.Page) (postgres.Listing[Organization], error) {
	return postgres.List(ctx, q, page, pgx.RowToStructByPos[Organization], func(o Organization) string { return string(o.ID) }, organizations+`
		WHERE ($1::text IS NULL OR id < $1) AND deleted_at IS NULL AND ($3 = '' OR id = $3) ORDER BY id DESC LIMIT $2`, actor.Organization)
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

// OrganizationEdit is a change to an organization; nil leaves a part as it is.
type OrganizationEdit struct {
	Slug *string
	Name *string
}

// UpdateOrganization renames an organization. A slug that another one has or had is CONFLICT.
func UpdateOrganization(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.OrganizationID, in OrganizationEdit) (*Organization, error) {
	var org *Organization
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if org, err = lockOrganization(ctx, tx, id); err != nil {
			return err
		}
		before := *org
		if in.Slug != nil {
			org.Slug = *in.Slug
		}
		if in.Name != nil {
			org.Name = strings.TrimSpace(*in.Name)
		}
		if org.Name == "" {
			return fault.Invalid("name", "must have 1 to %d characters; it has 0", maxName)
		}
		if err := checkSlugAndName(org.Slug, org.Name); err != nil || *org == before {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE organization SET slug = $2, name = $3 WHERE id = $1`, id, org.Slug, org.Name); err != nil {
			return slugTaken(err, org.Slug)
		}
		return recordChange(ctx, tx, actor, org, event.OrganizationUpdate, false)
	})
	return org, err
}

// DeleteOrganization ends an organization and all its keys. One that has projects is CONFLICT.
func DeleteOrganization(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.OrganizationID) error {
	return postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		org, err := lockOrganization(ctx, tx, id)
		if err != nil {
			return err
		}
		var projects int
		err = tx.QueryRow(ctx, `SELECT count(*) FROM project WHERE organization_id = $1 AND deleted_at IS NULL`, id).Scan(&projects)
		if err != nil {
			return fmt.Errorf("counting the projects of an organization: %w", err)
		}
		if projects > 0 {
			return fault.New(fault.Conflict, "the organization has projects (%d); delete them first", projects)
		}
		if _, err := tx.Exec(ctx, `UPDATE organization SET deleted_at = now() WHERE id = $1`, id); err != nil {
			return fmt.Errorf("deleting an organization: %w", err)
		}
		return recordChange(ctx, tx, actor, org, event.OrganizationDelete, true)
	})
}

// lockOrganization also keeps projects from being made in it, whose makers hold it with FOR KEY SHARE.
func lockOrganization(ctx context.Context, tx pgx.Tx, id content.OrganizationID) (*Organization, error) {
	return organization(ctx, tx, `WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`, string(id))
}

// recordChange adds a change of an organization to the audit trail and to the log that edges follow.
func recordChange(ctx context.Context, tx pgx.Tx, actor *access.Actor, org *Organization, action event.Action, deleted bool) error {
	if err := event.Audit(ctx, tx, actor, event.Record{Organization: org.ID, Action: action, Subject: string(org.ID)}); err != nil {
		return err
	}
	message := &recordpb.Organization{Id: string(org.ID), Slug: org.Slug, Name: org.Name, Deleted: deleted}
	return changelog.AppendMessage(ctx, tx, string(org.ID), record.KindOrganization, message)
}

func slugTaken(err error, slug string) error {
	return postgres.MapError(err, map[string]*fault.Error{
		"organization_slug_key": fault.New(fault.Conflict, "the organization slug %q is taken", slug),
	})
}
