package project

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	"svc/shared/fault"
)

// Settings are changes to a project; nil leaves a setting as it is.
type Settings struct {
	Name              *string
	PublicAPIEnabled  *bool
	AllowedOrigins    *[]string
	Locales           *[]string
	DefaultLocale     *string
	Guidance          *string
	RequiredApprovals *int
	RequireChecksPass *bool
}

// Fits holds what a project has against other locales than it was accepted under, and refuses those that it does not fit.
type Fits func(ctx context.Context, q postgres.Querier, before, after *Project) error

// Update changes settings. Where locales change, it asks fits.
func Update(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, in Settings, fits Fits) (*Project, error) {
	return change(ctx, pool, actor, id, event.ProjectUpdate, func(tx pgx.Tx, before *Project) (*Project, any, error) {
		after, err := in.apply(before)
		if err != nil || same(before, after) {
			return nil, nil, err
		}
		if after.DefaultLocale != before.DefaultLocale || !slices.Equal(after.Locales, before.Locales) {
			err = fits(ctx, tx, before, after)
		}
		return after, nil, err
	})
}

// change changes a project under its lock, under which no entry is written and no schema pushed until the commit. It records
// that with the detail that do returns, and tells every node. No project says that it stays as it is.
func change(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, action event.Action,
	do func(tx pgx.Tx, before *Project) (after *Project, detail any, err error)) (*Project, error) {
	var out *Project
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		if out, err = Lock(ctx, tx, id); err != nil {
			return err
		}
		after, detail, err := do(tx, out)
		if err != nil || after == nil {
			return err
		}
		from, err := nextRelease(ctx, tx, id)
		if err != nil {
			return err
		}
		if out, err = store(ctx, tx, after, from); err != nil {
			return err
		}
		audit := event.Record{Organization: out.Organization, Project: id, Action: action, Subject: string(id), Detail: detail}
		if err := event.Audit(ctx, tx, actor, audit); err != nil {
			return err
		}
		return appendTo(ctx, tx, out, from, false)
	})
	return out, err
}

// Delete ends a project for every reader and writer. Its rows stay.
func Delete(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID) error {
	return postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE project SET deleted_at = now(), updated_at = now() WHERE id = $1`, id); err != nil {
			return fmt.Errorf("deleting a project: %w", err)
		}
		audit := event.Record{Organization: p.Organization, Project: id, Action: event.ProjectDelete, Subject: string(id)}
		if err := event.Audit(ctx, tx, actor, audit); err != nil {
			return err
		}
		from, err := nextRelease(ctx, tx, id)
		if err != nil {
			return err
		}
		return appendTo(ctx, tx, p, from, true)
	})
}

// apply returns the project with the changes, checked as a whole.
func (in Settings) apply(before *Project) (*Project, error) {
	p := *before
	set(&p.Name, in.Name)
	set(&p.PublicAPIEnabled, in.PublicAPIEnabled)
	set(&p.Locales, in.Locales)
	set(&p.DefaultLocale, in.DefaultLocale)
	set(&p.Guidance, in.Guidance)
	set(&p.RequiredApprovals, in.RequiredApprovals)
	set(&p.RequireChecksPass, in.RequireChecksPass)
	if in.Locales != nil && len(p.Locales) == 0 && in.DefaultLocale == nil {
		p.DefaultLocale = ""
	}
	if in.AllowedOrigins != nil {
		origins, err := canonicalOrigins(*in.AllowedOrigins)
		if err != nil {
			return nil, err
		}
		p.AllowedOrigins = origins
	}
	if err := checkName(p.Name); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(p.Guidance); n > maxGuidance {
		return nil, fault.Invalid("guidance", "must have at most %d characters; it has %d", maxGuidance, n)
	}
	if p.RequiredApprovals < 0 || p.RequiredApprovals > 100 {
		return nil, fault.Invalid("requiredApprovals", "must be a whole number from 0 to 100")
	}
	return &p, checkLocales(p.Locales, p.DefaultLocale)
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func same(a, b *Project) bool {
	return a.Name == b.Name && a.PublicAPIEnabled == b.PublicAPIEnabled && a.DefaultLocale == b.DefaultLocale &&
		a.Guidance == b.Guidance && a.RequiredApprovals == b.RequiredApprovals && a.RequireChecksPass == b.RequireChecksPass &&
		slices.Equal(a.AllowedOrigins, b.AllowedOrigins) && slices.Equal(a.Locales, b.Locales)
}

func store(ctx context.Context, tx pgx.Tx, p *Project, from uint64) (*Project, error) {
	stored, err := get(ctx, tx, `
		UPDATE project SET name = $2, public_api_enabled = $3, allowed_origins = $4, locales = $5, default_locale = $6,
		       guidance = $7, required_approvals = $8, require_checks_pass = $9, updated_at = now()
		WHERE id = $1 RETURNING `+columns, p.ID, p.Name, p.PublicAPIEnabled, notNil(p.AllowedOrigins), notNil(p.Locales),
		p.DefaultLocale, p.Guidance, p.RequiredApprovals, p.RequireChecksPass)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO project_locales (project_id, from_release, locales, default_locale) VALUES ($1, $2, $3, $4)
		ON CONFLICT (project_id, from_release) DO UPDATE SET locales = excluded.locales, default_locale = excluded.default_locale`,
		p.ID, from, notNil(p.Locales), p.DefaultLocale)
	if err != nil {
		return nil, fmt.Errorf("storing a project's locales: %w", err)
	}
	return stored, nil
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// nextRelease is the first release that will be published under what is set now. The caller holds the project, so
// no one publishes meanwhile.
func nextRelease(ctx context.Context, q postgres.Querier, id content.ProjectID) (uint64, error) {
	var n uint64
	if err := q.QueryRow(ctx, `SELECT number + 1 FROM release_head WHERE project_id = $1`, id).Scan(&n); err != nil {
		return 0, fmt.Errorf("reading a project's newest release: %w", err)
	}
	return n, nil
}

// appendTo tells the edges what the project is like from a release on.
func appendTo(ctx context.Context, tx pgx.Tx, p *Project, from uint64, deleted bool) error {
	return changelog.AppendMessage(ctx, tx, string(p.ID), record.KindProject, &recordpb.Project{
		Id: string(p.ID), Organization: string(p.Organization), Slug: p.Slug, Name: p.Name,
		PublicApiEnabled: p.PublicAPIEnabled, AllowedOrigins: p.AllowedOrigins, Locales: p.Locales,
		DefaultLocale: p.DefaultLocale, CursorKey: p.CursorKey, Deleted: deleted, FromRelease: from,
		PinnedRelease: p.PinnedRelease,
	})
}

const maxPinReason = 500 // characters

// Pin has reads that name no release answer this one on every node, as if it were the newest, until Unpin: the way back
// where a release turns out to be bad. Publishing goes on, and shows once the project is unpinned. A project that is
// pinned already is pinned again, and stays as it is where release and reason are those it has. The reason, which may be
// empty, is for those who wonder later.
func Pin(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, release uint64, reason string) (*Project, error) {
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n > maxPinReason {
		return nil, fault.Invalid("reason", "must have at most %d characters; it has %d", maxPinReason, n)
	}
	return change(ctx, pool, actor, id, event.ProjectPin, func(tx pgx.Tx, p *Project) (*Project, any, error) {
		if p.PinnedRelease != 0 && p.PinnedRelease == release && p.PinReason == reason {
			return nil, nil, nil
		}
		if err := released(ctx, tx, id, release); err != nil {
			return nil, nil, err
		}
		if _, err := tx.Exec(ctx, `UPDATE project SET pinned_release = $2, pin_reason = $3, pinned_by = $4, pinned_at = now() WHERE id = $1`,
			id, int64(release), reason, actor.IDOrNil()); err != nil {
			return nil, nil, fmt.Errorf("pinning a project: %w", err)
		}
		return p, map[string]any{"release": release, "reason": reason}, nil
	})
}

// Unpin has reads answer the newest release again. A project that is not pinned stays as it is.
func Unpin(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID) (*Project, error) {
	return change(ctx, pool, actor, id, event.ProjectUnpin, func(tx pgx.Tx, p *Project) (*Project, any, error) {
		if p.PinnedRelease == 0 {
			return nil, nil, nil
		}
		if _, err := tx.Exec(ctx, `UPDATE project SET pinned_release = NULL, pin_reason = '', pinned_by = NULL, pinned_at = NULL WHERE id = $1`, id); err != nil {
			return nil, nil, fmt.Errorf("unpinning a project: %w", err)
		}
		return p, map[string]any{"release": p.PinnedRelease}, nil
	})
}

// released checks that a release was published.
func released(ctx context.Context, tx pgx.Tx, id content.ProjectID, release uint64) error {
	var found bool
	var newest uint64
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM release WHERE project_id = $1 AND number = $2),
		coalesce((SELECT max(number) FROM release WHERE project_id = $1), 0)`, id, int64(min(release, 1<<62))).Scan(&found, &newest)
	switch {
	case err != nil:
		return fmt.Errorf("looking for a release: %w", err)
	case !found && newest == 0:
		return fault.Invalid("release", "there is no release %d; nothing has been published yet", release)
	case !found:
		return fault.Invalid("release", "there is no release %d; the newest is release %d", release, newest)
	}
	return nil
}
