package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changelog"
	"svc/core/event"
	"svc/core/postgres"
	"svc/replication/record"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// Key is an API key without its secret.
type Key struct {
	ID           content.KeyID
	Organization content.OrganizationID
	Project      content.ProjectID // empty: every project of the organization
	PublicID     string
	Label        string
	Scopes       []credential.Scope
	Collections  []string // empty: every collection
	CreatedBy    string   // id of the key or user that made it; empty: the system
	CreatedAt    time.Time
	ExpiresAt    time.Time // zero: never
	RevokedAt    time.Time // zero: not revoked
	LastUsedAt   time.Time // zero: never used

	hash []byte // of the secret
}

const keyColumns = `id, organization_id, coalesce(project_id, ''), public_id, label, scopes, collections,
	coalesce(created_by, ''), created_at, expires_at, revoked_at, last_used_at, hash`

func scanKey(row pgx.CollectableRow) (k Key, err error) {
	var expires, revoked, used *time.Time
	err = row.Scan(&k.ID, &k.Organization, &k.Project, &k.PublicID, &k.Label, &k.Scopes, &k.Collections,
		&k.CreatedBy, &k.CreatedAt, &expires, &revoked, &used, &k.hash)
	k.ExpiresAt, k.RevokedAt, k.LastUsedAt = orZero(expires), orZero(revoked), orZero(used)
	return k, err
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// ListKeys returns the keys of an organization, or those confined to one of its projects where project is given,
// newest first; revoked and expired ones included.
func ListKeys(ctx context.Context, q postgres.Querier, org content.OrganizationID, project content.ProjectID, page postgres.Page) (postgres.Listing[Key], error) {
	return postgres.List(ctx, q, page, scanKey, func(k Key) string { return string(k.ID) }, `SELECT `+keyColumns+` FROM api_key
		WHERE ($1::text IS NULL OR id < $1) AND organization_id = $3 AND ($4 = '' OR project_id = $4) ORDER BY id DESC LIMIT $2`, org, project)
}

// RevokeKey ends a key for good; revoking it again changes nothing. With a project only a key confined to that
// project is found. An actor who is confined to collections ends keys within them alone.
func RevokeKey(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, org content.OrganizationID, project content.ProjectID, id string) (Key, error) {
	var key Key
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		k, err := lockKey(ctx, tx, org, project, id)
		if err != nil {
			return err
		}
		if err := withinCollections(actor, k.Collections); err != nil {
			return err
		}
		if key = k; !key.RevokedAt.IsZero() {
			return nil
		}
		err = tx.QueryRow(ctx, `UPDATE api_key SET revoked_at = clock_timestamp() WHERE id = $1 RETURNING revoked_at`, key.ID).Scan(&key.RevokedAt)
		if err != nil {
			return fmt.Errorf("revoking a key: %w", err)
		}
		if err := event.Audit(ctx, tx, actor, event.Record{Organization: org, Project: key.Project, Action: event.KeyRevoke, Subject: string(key.ID)}); err != nil {
			return err
		}
		return appendKey(ctx, tx, key)
	})
	return key, err
}

func lockKey(ctx context.Context, tx pgx.Tx, org content.OrganizationID, project content.ProjectID, id string) (Key, error) {
	rows, _ := tx.Query(ctx, `SELECT `+keyColumns+` FROM api_key
		WHERE id = $1 AND organization_id = $2 AND ($3 = '' OR project_id = $3) FOR UPDATE`, id, org, project) // reading the row tells its error too
	key, err := pgx.CollectExactlyOneRow(rows, scanKey)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return key, fault.New(fault.NotFound, "there is no API key %q", id)
	case err != nil:
		return key, fmt.Errorf("reading a key: %w", err)
	}
	return key, nil
}

// appendKey tells the edges of the organization what the key may do.
func appendKey(ctx context.Context, tx pgx.Tx, k Key) error {
	g := &credential.Grant{
		Key: k.ID, PublicID: k.PublicID, Project: k.Project, Scopes: k.Scopes, Collections: k.Collections,
		ExpiresAt: k.ExpiresAt, Revoked: !k.RevokedAt.IsZero(),
	}
	copy(g.Hash[:], k.hash)
	return changelog.AppendMessage(ctx, tx, string(k.Organization), record.KindKey, record.KeyOf(g))
}
