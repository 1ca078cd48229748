package preview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/event"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// How long a preview token lives.
const (
	MinLife     = time.Minute
	MaxLife     = 30 * 24 * time.Hour
	DefaultLife = time.Hour
)

// Token is a preview token without its secret.
type Token struct {
	ID        content.PreviewID
	Project   content.ProjectID
	ChangeSet content.ChangeSetID
	Entry     content.EntryID // empty: all that the set stages
	CreatedBy string          // id of the key or user that made it; empty: the system
	CreatedAt time.Time
	ExpiresAt time.Time
	RevokedAt time.Time // zero: not revoked

	collections []string // to which it is confined; empty: none
}

// NewToken is what a preview token is made from.
type NewToken struct {
	ChangeSet string
	Entry     content.EntryID // empty: all that the set stages
	Life      time.Duration
}

const (
	// revokedAt is when a token was revoked, or the API key that made it, whichever came first.
	revokedAt = `least(preview.revoked_at, (SELECT k.revoked_at FROM api_key k WHERE k.id = preview.created_by))`

	tokenColumns = `id, project_id, change_set_id, coalesce(entry_id, ''), coalesce(created_by, ''), created_at, expires_at, ` + revokedAt + `, collections`

	// within leaves out tokens of one entry of other collections than $3; null is all.
	within = ` AND ($3::text[] IS NULL OR preview.entry_id IS NULL OR (SELECT e.collection FROM entry e WHERE e.id = preview.entry_id) = ANY ($3))`

	selectToken = `SELECT ` + tokenColumns + ` FROM preview WHERE id = $1 AND project_id = $2` + within
)

func scanToken(row pgx.CollectableRow) (t Token, err error) {
	var revoked *time.Time
	err = row.Scan(&t.ID, &t.Project, &t.ChangeSet, &t.Entry, &t.CreatedBy, &t.CreatedAt, &t.ExpiresAt, &revoked, &t.collections)
	if revoked != nil {
		t.RevokedAt = *revoked
	}
	return t, err
}

// CreateToken makes a preview token of an open or ready set and returns it with its secret, which cannot be had again. It shows no
// more than its maker may read: the drafts of collections that the maker is confined to, and private ones with content:read only.
func CreateToken(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, p *project.Project, in NewToken) (Token, string, error) {
	var token Token
	secret := credential.Mint(credential.PreviewToken)
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		set, err := changeset.Get(ctx, tx, p.ID, in.ChangeSet)
		if err != nil {
			return err
		}
		if err := previewable(ctx, tx, actor, set, in); err != nil {
			return err
		}
		if token, err = storeToken(ctx, tx, actor, set, in, secret); err != nil {
			return err
		}
		return event.Audit(ctx, tx, actor, event.Record{
			Organization: p.Organization, Project: p.ID, Action: event.PreviewCreate, Subject: string(token.ID),
			Detail: map[string]string{"changeSet": string(set.ID), "entry": string(token.Entry)},
		})
	})
	return token, secret.Text(), err
}

// previewable refuses a token that could show nothing, or that the actor may not make.
func previewable(ctx context.Context, tx pgx.Tx, actor *access.Actor, set *changeset.ChangeSet, in NewToken) error {
	if in.Life < MinLife || in.Life > MaxLife {
		return fault.Invalid("expiresInSeconds", "must be from %.0f to %.0f", MinLife.Seconds(), MaxLife.Seconds())
	}
	if !set.Status.Editable() {
		return fault.New(fault.Conflict, "the change set %s is %s; only an open or ready one can be previewed", set.ID, set.Status)
	}
	if in.Entry == "" {
		return nil
	}
	var collection string
	err := tx.QueryRow(ctx, `SELECT collection FROM change_set_item
		WHERE change_set_id = $1 AND resource_type = 'entry' AND resource_id = $2`, set.ID, in.Entry).Scan(&collection)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.Invalid("entryId", "must be an entry that the change set stages")
	case err != nil:
		return fmt.Errorf("reading an item: %w", err)
	}
	return access.Confine(actor, collection)
}

func storeToken(ctx context.Context, tx pgx.Tx, actor *access.Actor, set *changeset.ChangeSet, in NewToken, secret credential.Secret) (Token, error) {
	var now time.Time
	if err := tx.QueryRow(ctx, `SELECT date_trunc('milliseconds', clock_timestamp())`).Scan(&now); err != nil {
		return Token{}, fmt.Errorf("reading the database's clock: %w", err)
	}
	expires := now.Add(in.Life)
	if g := actor.Grant; g != nil && !g.ExpiresAt.IsZero() && expires.After(g.ExpiresAt) {
		return Token{}, fault.New(fault.Forbidden, "a preview cannot outlive the API key that makes it, which expires at %s: give a smaller expiresInSeconds",
			content.FormatTime(g.ExpiresAt))
	}
	confined, _ := access.Confined(actor)
	hash := secret.Hash()
	rows, _ := tx.Query(ctx, `
		INSERT INTO preview (id, project_id, change_set_id, entry_id, public_id, hash, opens_private, collections, created_by, created_at, expires_at)
		VALUES ($1, $2, $3, nullif($4, ''), $5, $6, $7, coalesce($8::text[], '{}'), $9, $10, $11) RETURNING `+tokenColumns,
		content.NewID[content.PreviewID](), set.Project, set.ID, in.Entry, secret.PublicID, hash[:],
		access.Carries(actor, credential.ContentRead), confined, actor.IDOrNil(), now, expires) // reading the row tells its error too
	token, err := pgx.CollectExactlyOneRow(rows, scanToken)
	if err != nil {
		return token, fmt.Errorf("storing a preview token: %w", err)
	}
	return token, nil
}

// ListTokens returns the preview tokens of a project, or of one change set where that is given, newest first; revoked and expired ones
// included. An actor who is confined to collections gets none of one entry of another.
func ListTokens(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, changeSet string, page postgres.Page) (postgres.Listing[Token], error) {
	if changeSet != "" {
		if _, err := changeset.Get(ctx, q, project, changeSet); err != nil {
			return postgres.Listing[Token]{}, err
		}
	}
	confined, _ := access.Confined(actor)
	return postgres.List(ctx, q, page, scanToken, func(t Token) string { return string(t.ID) }, `SELECT `+tokenColumns+` FROM preview
		WHERE ($1::text IS NULL OR id < $1) AND project_id = $4 AND ($5 = '' OR change_set_id = $5)`+within+` ORDER BY id DESC LIMIT $2`,
		confined, project, changeSet)
}

// GetToken returns a preview token of a project, or NOT_FOUND, as of one that ListTokens leaves out.
func GetToken(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, id string) (Token, error) {
	confined, _ := access.Confined(actor)
	return oneToken(ctx, q, selectToken, id, project, confined)
}

func oneToken(ctx context.Context, q postgres.Querier, sql string, id string, args ...any) (Token, error) {
	rows, _ := q.Query(ctx, sql, append([]any{id}, args...)...) // reading the row tells its error too
	token, err := pgx.CollectExactlyOneRow(rows, scanToken)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return token, fault.New(fault.NotFound, "there is no preview %q", id)
	case err != nil:
		return token, fmt.Errorf("reading a preview token: %w", err)
	}
	return token, nil
}

// RevokeToken ends a preview token for good; revoking it again changes nothing. An actor who is confined to collections ends tokens
// within them alone; one that ListTokens leaves out is NOT_FOUND.
func RevokeToken(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, p *project.Project, id string) (Token, error) {
	var token Token
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		confined, _ := access.Confined(actor)
		token, err = oneToken(ctx, tx, selectToken+` FOR UPDATE`, id, p.ID, confined)
		if err != nil {
			return err
		}
		if err := withinToken(actor, token.collections); err != nil || !token.RevokedAt.IsZero() {
			return err
		}
		token, err = oneToken(ctx, tx, `UPDATE preview SET revoked_at = clock_timestamp() WHERE id = $1 RETURNING `+tokenColumns, id)
		if err != nil {
			return err
		}
		return event.Audit(ctx, tx, actor, event.Record{Organization: p.Organization, Project: p.ID, Action: event.PreviewRevoke, Subject: id})
	})
	return token, err
}

func withinToken(actor *access.Actor, collections []string) error {
	if _, confined := access.Confined(actor); confined && len(collections) == 0 {
		return fault.New(fault.Forbidden, "a key that is confined to collections cannot revoke previews that are not")
	}
	for _, c := range collections {
		if err := access.Confine(actor, c); err != nil {
			return err
		}
	}
	return nil
}
