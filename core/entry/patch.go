package entry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/core/schemadeploy"
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
		target, row, err := aim(ctx, tx, actor, id, in.ChangeSet, entry)
		if err != nil {
			return err
		}
		set, err := schemadeploy.Load(ctx, tx, id)
		if err != nil {
			return err
		}
		deployed, err := set.Require(row.collection)
		if err != nil {
			return err
		}
		on, base, err := row.baseline(ctx, tx, target)
		if err != nil {
			return err
		}
		if in.Expected != "" && (on.revision == nil || string(*on.revision) != in.Expected) {
			return stale(in.Expected, on.revision)
		}
		f := frameOf(target.Project, deployed)
		made, err := f.compose(ctx, tx, id, target.Set.ID, row.id, on, data, in.Slug)
		if err != nil {
			return err
		}
		out, err = save{
			actor: actor, target: target, frame: f, entry: row.id, operation: row.operation(), base: base,
			parent: on.revision, draft: made, summary: in.ChangeSummary,
		}.run(ctx, tx)
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

// row is a locked entry.
type row struct {
	id            content.EntryID
	collection    string
	published     *content.RevisionID
	lastPublished *content.RevisionID
	draft         *content.RevisionID
	deleted       bool
}

// aim chooses the change set of a write and holds it, the project and the entry.
func aim(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet, entry string) (*changeset.Target, *row, error) {
	if !content.IsID[content.EntryID](entry) {
		return nil, nil, missing(entry)
	}
	if _, confined := access.Confined(actor); confined { // or the choice of a set would tell of entries out of reach
		if err := reach(ctx, tx, actor, id, entry); err != nil {
			return nil, nil, err
		}
	}
	target, err := changeset.ResolveTarget(ctx, tx, actor, id, changeSet, content.EntryID(entry))
	if err != nil {
		return nil, nil, err
	}
	r, err := lockEntry(ctx, tx, actor, id, entry)
	if err != nil {
		return nil, nil, err
	}
	return target, r, target.Confirm(ctx, tx, r.id)
}

// lockEntry holds an entry that is there, is not deleted, and that the actor may touch.
func lockEntry(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, entry string) (*row, error) {
	r := &row{id: content.EntryID(entry)}
	err := tx.QueryRow(ctx, `
		SELECT collection, published_revision_id, last_published_revision_id, draft_revision_id, deleted_at IS NOT NULL
		FROM entry e WHERE id = $1 AND project_id = $2 AND `+inForce+` FOR NO KEY UPDATE`, entry, id).Scan(
		&r.collection, &r.published, &r.lastPublished, &r.draft, &r.deleted)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, missing(entry)
	}
	if err != nil {
		return nil, fmt.Errorf("locking an entry: %w", err)
	}
	if err := access.Confine(actor, r.collection); err != nil {
		return nil, err
	}
	if r.deleted {
		f := fault.New(fault.Conflict, "the entry %s is deleted", entry)
		f.EntryIDs = []string{entry}
		return nil, f
	}
	return r, nil
}

// operation is what staging a revision of the entry means.
func (r *row) operation() content.Operation {
	if r.lastPublished == nil {
		return content.OperationCreate
	}
	return content.OperationUpdate
}

// baseline returns what a write builds on, and the base of its item: what was published when that was staged.
func (r *row) baseline(ctx context.Context, tx pgx.Tx, target *changeset.Target) (baseline, *content.RevisionID, error) {
	proposal, _, err := changeset.Proposed(ctx, tx, target.Set.ID, r.id)
	if err != nil {
		return baseline{}, nil, err
	}
	on, base := proposal.Target, proposal.Base
	if on == nil {
		base = r.published
		if on = firstOf(r.published, r.lastPublished); on == nil {
			if on, err = r.ownDraft(ctx, tx, target); err != nil {
				return baseline{}, nil, err
			}
		}
	}
	if on == nil {
		return baseline{}, base, nil
	}
	found := baseline{revision: on}
	err = tx.QueryRow(ctx, `SELECT slug, fields FROM revision WHERE id = $1`, *on).Scan(&found.slug, (*[]byte)(&found.fields))
	if err != nil {
		return baseline{}, nil, fmt.Errorf("reading revision %s: %w", *on, err)
	}
	return found, base, nil
}

// ownDraft is the draft of an entry that was never published, unless it is the work of another open set.
func (r *row) ownDraft(ctx context.Context, tx pgx.Tx, target *changeset.Target) (*content.RevisionID, error) {
	sets, err := changeset.Holding(ctx, tx, target.Project.ID, r.id)
	if err != nil || slices.ContainsFunc(sets, func(s string) bool { return s != string(target.Set.ID) }) {
		return nil, err
	}
	return r.draft, nil
}

func firstOf(ids ...*content.RevisionID) *content.RevisionID {
	for _, id := range ids {
		if id != nil {
			return id
		}
	}
	return nil
}
