package account

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changelog"
	"svc/core/event"
	"svc/core/postgres"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/fault"
)

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
	var o Organization
	err := tx.QueryRow(ctx, `SELECT id, slug, name, created_at FROM organization WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`, id).
		Scan(&o.ID, &o.Slug, &o.Name, &o.CreatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "there is no such organization")
	}
	if err != nil {
		return nil, fmt.Errorf("locking an organization: %w", err)
	}
	return &o, nil
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
