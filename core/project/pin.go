package project

import (
	"context"
	"errors"
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
	audit := event.Record{Action: event.ProjectPin, Detail: map[string]any{"release": release, "reason": reason}}
	return setPin(ctx, pool, actor, id, audit, func(tx pgx.Tx, p *Project) error {
		if p.PinnedRelease != 0 && p.PinnedRelease == release && p.PinReason == reason {
			return errUnchanged
		}
		if err := released(ctx, tx, id, release); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE project SET pinned_release = $2, pin_reason = $3, pinned_by = $4, pinned_at = now() WHERE id = $1`,
			id, int64(release), reason, actor.IDOrNil()); err != nil {
			return fmt.Errorf("pinning a project: %w", err)
		}
		return nil
	})
}

// Unpin has reads answer the newest release again. A project that is not pinned stays as it is.
func Unpin(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID) (*Project, error) {
	audit := event.Record{Action: event.ProjectUnpin, Detail: map[string]any{}}
	return setPin(ctx, pool, actor, id, audit, func(tx pgx.Tx, p *Project) error {
		if p.PinnedRelease == 0 {
			return errUnchanged
		}
		audit.Detail.(map[string]any)["release"] = p.PinnedRelease
		if _, err := tx.Exec(ctx, `UPDATE project SET pinned_release = NULL, pin_reason = '', pinned_by = NULL, pinned_at = NULL WHERE id = $1`, id); err != nil {
			return fmt.Errorf("unpinning a project: %w", err)
		}
		return nil
	})
}

var errUnchanged = errors.New("nothing is to be changed")

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

// setPin changes the pin, records that, and tells every node.
func setPin(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, audit event.Record, change func(pgx.Tx, *Project) error) (*Project, error) {
	var out *Project
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		out = p
		if err := change(tx, p); err != nil {
			return err
		}
		from, err := nextRelease(ctx, tx, id)
		if err != nil {
			return err
		}
		if out, err = store(ctx, tx, p, from); err != nil {
			return err
		}
		audit.Organization, audit.Project, audit.Subject = out.Organization, id, string(id)
		if err := event.Audit(ctx, tx, actor, audit); err != nil {
			return err
		}
		return appendTo(ctx, tx, out, from, false)
	})
	if errors.Is(err, errUnchanged) {
		return out, nil
	}
	return out, err
}
