package entry

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

// Patch writes a new draft of an entry. It builds on what the change set proposes for the entry, else on what is
// published, else on what was; never on another set's unpublished work. A deleted entry is CONFLICT.
func Patch(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry string, in Write) (*Written, error) {
	data, err := in.check()
	if err != nil {
		return nil, err
	}
	var out *Written
	err = changeset.Write(ctx, pool, func(tx pgx.Tx) error {
		to, err := aim(ctx, tx, actor, id, in.ChangeSet, entry)
		if err != nil {
			return err
		}
		f, h, err := headOf(ctx, tx, to, in.ChangeSet)
		if err != nil {
			return err
		}
		if in.Expected != "" && (h.on.revision == nil || string(*h.on.revision) != in.Expected) {
			return stale(in.Expected, h.on.revision)
		}
		made, err := f.compose(ctx, tx, id, to.set.ID, h, data, in.Slug)
		if err != nil {
			return err
		}
		out, err = f.save(ctx, tx, actor, id, staged{head: h, set: to.set, draft: made, summary: in.ChangeSummary})
		return err
	})
	return out, err
}

func stale(expected string, head *content.RevisionID) error {
	at := "there is none"
	if head != nil {
		at = "it is " + string(*head)
	}
	return fault.New(fault.StaleRevision, "expectedRevisionId is %q, but that is not the head this write builds on: %s", expected, at)
}

// target is where a write of an entry goes: its set, the project and the entry, all held until the transaction ends.
type target struct {
	set     *changeset.ChangeSet
	project *project.Project
	*row
}

// aim chooses and holds the target of a write. A deleted entry is CONFLICT.
func aim(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet, entry string) (*target, error) {
	return aimIf(ctx, tx, actor, id, changeSet, entry, (*row).refuseDeleted)
}

// aimIf is aim for a write of an entry that passes the check.
func aimIf(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet, entry string, check func(*row) error) (*target, error) {
	if !content.IsID[content.EntryID](entry) {
		return nil, missing(entry)
	}
	if _, confined := access.Confined(actor); confined { // or the choice of a set would tell of entries out of reach
		if err := reach(ctx, tx, actor, id, entry); err != nil {
			return nil, err
		}
	}
	targets, err := changeset.ResolveTargets(ctx, tx, actor, id, changeSet, content.EntryID(entry))
	if err != nil {
		return nil, err
	}
	r, err := lockEntry(ctx, tx, actor, id, entry)
	if err != nil {
		return nil, err
	}
	if err := check(r); err != nil {
		return nil, err
	}
	joins, err := targets.Joins(content.EntryID(entry))
	if err != nil {
		return nil, err
	}
	if err := targets.Confirm(ctx, tx); err != nil {
		return nil, err
	}
	set, err := targets.Set(ctx, tx, joins)
	return &target{set, targets.Project, r}, err
}
