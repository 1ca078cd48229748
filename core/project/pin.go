package project

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/event"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

const maxPinReason = 500 // characters

// Pin has reads that name no release answer this one on every node, as if it were the newest, until Unpin: the way back
// where a release turns out to be bad. Publishing goes on, and shows once the project is unpinned. A project that is
// pinned already is pinned anew, and stays as it is where release and reason are those it has. The reason, which may be
// empty, is for whoever wonders later.
func Pin(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, release uint64, reason string) (*Project, error) {
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n > maxPinReason {
		return nil, fault.Invalid("reason", "must have at most %d characters; it has %d", maxPinReason, n)
	}
	return setPin(ctx, pool, actor, id, event.ProjectPin, func(tx pgx.Tx, p *Project) (detail map[string]any, err error) {
		if p.PinnedRelease != 0 && p.PinnedRelease == release && p.PinReason == reason {
			return nil, nil
		}
		if err := released(ctx, tx, id, release); err != nil {
			return nil, err
		}
		if _, err := tx.Exec(ctx, `UPDATE project SET pinned_release = $2, pin_reason = $3, pinned_by = $4, pinned_at = now() WHERE id = $1`,
			id, int64(release), reason, actor.IDOrNil()); err != nil {
			return nil, fmt.Errorf("pinning a project: %w", err)
		}
		return map[string]any{"release": release, "reason": reason}, nil
	})
}

// Unpin has reads answer the newest release again. A project that is not pinned stays as it is.
func Unpin(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID) (*Project, error) {
	return setPin(ctx, pool, actor, id, event.ProjectUnpin, func(tx pgx.Tx, p *Project) (detail map[string]any, err error) {
		if p.PinnedRelease == 0 {
			return nil, nil
		}
		if _, err := tx.Exec(ctx, `UPDATE project SET pinned_release = NULL, pin_reason = '', pinned_by = NULL, pinned_at = NULL WHERE id = $1`, id); err != nil {
			return nil, fmt.Errorf("unpinning a project: %w", err)
		}
		return map[string]any{"release": p.PinnedRelease}, nil
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

// setPin changes the pin, records that with the detail of the change, and tells every node. No detail says that the pin
// stays as it is.
func setPin(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, action event.Action,
	change func(pgx.Tx, *Project) (detail map[string]any, err error)) (*Project, error) {
	var out *Project
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		out = p
		detail, err := change(tx, p)
		if err != nil || detail == nil {
			return err
		}
		from, err := nextRelease(ctx, tx, id)
		if err != nil {
			return err
		}
		if out, err = store(ctx, tx, p, from); err != nil {
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
