// Package project owns projects and their settings. Every change goes to the project's log in the same
// transaction, so that edges know it.
package project

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

// Project is a project with its settings (interface, "Project settings").
type Project struct {
	ID                content.ProjectID
	Organization      content.OrganizationID
	Slug              string
	Name              string
	PublicAPIEnabled  bool
	AllowedOrigins    []string // canonical, scheme://host[:port]
	Locales           []string
	DefaultLocale     string // one of Locales; empty where there are none
	Guidance          string
	RequiredApprovals int
	RequireChecksPass bool
	CursorKey         []byte // authenticates cursors of public reads on every node
	CreatedAt         time.Time
	UpdatedAt         time.Time
	// PinnedRelease is what reads that name no release answer on every node, 0 the newest; why, who pinned the project
	// and when are for people. PinnedBy is empty where the system did.
	PinnedRelease uint64
	PinReason     string
	PinnedBy      string
	PinnedAt      *time.Time // nil where it is not pinned
}

// Place is where the project is, for checks of access.
func (p *Project) Place() access.Place {
	return access.Place{Organization: p.Organization, Project: p.ID}
}

const columns = `id, organization_id, slug, name, public_api_enabled, allowed_origins, locales, default_locale,
	guidance, required_approvals, require_checks_pass, cursor_key, created_at, updated_at,
	coalesce(pinned_release, 0), pin_reason, coalesce(pinned_by, ''), pinned_at`

// Get returns the project with this id or slug. Whether the caller may see it is for package access to say; a
// project of somebody else answers with the same words as none.
func Get(ctx context.Context, q postgres.Querier, ref string) (*Project, error) {
	return get(ctx, q, `SELECT `+columns+` FROM project WHERE (id = $1 OR slug = $1) AND deleted_at IS NULL`, ref)
}

// Share returns the project and keeps its settings and schemas as they are until the transaction ends. Publishes
// and entry writes hold it; they do not exclude each other.
func Share(ctx context.Context, tx pgx.Tx, id content.ProjectID) (*Project, error) {
	return hold(ctx, tx, `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))`, id)
}

// Lock returns the project and keeps everybody else from publishing, writing entries and changing settings or
// schemas until the transaction ends.
func Lock(ctx context.Context, tx pgx.Tx, id content.ProjectID) (*Project, error) {
	return hold(ctx, tx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, id)
}

// hold takes a lock and then reads the project. These are advisory locks, not row locks, because they are granted in
// the order they are asked for: under steady writes a push would wait for the row for ever.
func hold(ctx context.Context, tx pgx.Tx, lock string, id content.ProjectID) (*Project, error) {
	var p *Project
	batch := &pgx.Batch{}
	batch.Queue(`SELECT ` + postgres.EndStuck)
	batch.Queue(lock, id)
	batch.Queue(`SELECT `+columns+` FROM project WHERE id = $1 AND deleted_at IS NULL`, id).Query(func(rows pgx.Rows) (err error) {
		p, err = collect(rows)
		return err
	})
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("holding a project: %w", err)
	}
	return p, nil
}

func get(ctx context.Context, q postgres.Querier, sql string, args ...any) (*Project, error) {
	rows, _ := q.Query(ctx, sql, args...) // reading the row tells its error too
	return collect(rows)
}

func collect(rows pgx.Rows) (*Project, error) {
	p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[Project])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "there is no such project")
	}
	if err != nil {
		return nil, fmt.Errorf("reading a project: %w", err)
	}
	return p, nil
}

// List returns the projects that the actor reaches, newest first.
func List(ctx context.Context, q postgres.Querier, actor *access.Actor, page postgres.Page) (postgres.Listing[Project], error) {
	var only content.ProjectID
	if actor.Grant != nil {
		only = actor.Grant.Project
	}
	return postgres.List(ctx, q, page, pgx.RowToStructByPos[Project], func(p Project) string { return string(p.ID) }, `SELECT `+columns+` FROM project
		WHERE ($1::text IS NULL OR id < $1) AND deleted_at IS NULL AND ($3 = '' OR organization_id = $3) AND ($4 = '' OR id = $4)
		ORDER BY id DESC LIMIT $2`, actor.Organization, only)
}
