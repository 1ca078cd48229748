package changeset

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/asset"
	"svc/core/postgres"
	"svc/core/rewind"
	"svc/replication/record"
	"svc/shared/content"
	"svc/shared/fault"
)

// slugConstraint keeps published slugs unique in a collection. It is deferred, so slugs swap inside one release.
const slugConstraint = "entry_published_slug_key"

// Published is what a publish brought about.
type Published struct {
	ChangeSet *ChangeSet
	EntryIDs  []content.EntryID // created and updated ones
	Release   content.Release
	Position  record.Position // of the release in the project's log
	Warnings  []Warning       // as Validate gives them
}

// Publish publishes a set in one transaction (interface, "Publish effects"). It must be confirmed. A published or
// closed set is CONFLICT; what Validate finds is PUBLISH_VALIDATION_FAILED; then the gates decide. What has been validated
// still holds at the commit. Of two sets that stage the same entry the first to publish wins, and the other one's base is
// stale.
func Publish(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string, confirm bool) (*Published, error) {
	if !confirm {
		return nil, fault.Invalid("confirm", "must be true: publishing takes effect at once")
	}
	var out *Published
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
		out, err = publish(ctx, tx, actor, id, changeSet)
		return err
	})
	if err != nil {
		return nil, postgres.MapError(err, map[string]*fault.Error{
			slugConstraint: fault.New(fault.PublishValidationFailed, "a slug of the change set is that of a published entry"),
		})
	}
	return out, nil
}

// publish is the transaction, step by step. What the set is checked against cannot change before the commit:
//
//   - the set and its items: its row is locked by all that stage, unstage, edit, close or publish;
//   - settings and schemas: the project's lock is shared here, and taken alone to change them;
//   - the entries of the set: their rows are locked;
//   - the assets that targets name: their rows are locked;
//   - what is published of other entries, their slugs among it: only a release changes that, and the release head is locked
//     before any of it is read, so that all of the release before is seen. Only the checks that need it wait for it.
func publish(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet string) (*Published, error) {
	r := newRelease(true)
	if err := r.open(ctx, tx, actor, id, changeSet); err != nil {
		return nil, err
	}
	if len(r.items) >= postgres.Bulk {
		if err := postgres.BeginBulk(ctx, tx); err != nil {
			return nil, err
		}
	}
	if err := r.checkItems(ctx, tx); err != nil {
		return nil, err
	}
	warnings, before, err := r.warnEarly(ctx, tx, actor)
	if err != nil {
		return nil, err
	}
	if err := r.takeReleaseNumber(ctx, tx); err != nil {
		return nil, err
	}
	if r.set.ReleaseNumber != before+1 {
		if warnings, err = r.warn(ctx, tx, actor); err != nil {
			return nil, err
		}
	}
	if err := r.checkPublished(ctx, tx); err != nil {
		return nil, err
	}
	if err := r.refusal(); err != nil {
		return nil, err
	}
	err = CheckGates(Facts{RequiredApprovals: r.project.RequiredApprovals, RequireChecksPass: r.project.RequireChecksPass})
	if err != nil {
		return nil, err
	}
	if err := r.movePointers(ctx, tx); err != nil {
		return nil, err
	}
	assets, err := asset.Publish(ctx, tx, id, r.assets)
	if err != nil {
		return nil, err
	}
	if err := r.report(ctx, tx, actor, assets); err != nil {
		return nil, err
	}
	if err := r.stamp(ctx, tx, actor); err != nil {
		return nil, err
	}
	position, err := r.append(ctx, tx)
	if err != nil {
		return nil, err
	}
	return r.published(position, warnings), nil
}

// published is what the transaction brings about.
func (r *release) published(position record.Position, warnings []Warning) *Published {
	out := &Published{
		ChangeSet: r.set, EntryIDs: []content.EntryID{}, Position: position, Warnings: warnings,
		Release: content.Release{Number: r.set.ReleaseNumber, PublishedAt: r.publishedAt},
	}
	for _, i := range r.items {
		if i.operation.Publishes() {
			out.EntryIDs = append(out.EntryIDs, i.entry)
		}
	}
	return out
}

// takeReleaseNumber takes the next release number. From here to the commit releases of the project follow one another. In a
// database that may have gone back there is no next number yet: it may have been given before.
func (r *release) takeReleaseNumber(ctx context.Context, tx pgx.Tx) error {
	var checked bool
	var last record.Stamp
	err := tx.QueryRow(ctx, `SELECT number, published_at, `+rewind.CheckedSQL+`, `+postgres.HoldBriefly+`
		FROM release_head WHERE project_id = $1 FOR UPDATE`, r.project.ID).Scan(&last.Number, &last.Time, &checked, nil)
	if err != nil {
		return fmt.Errorf("locking the release head: %w", err)
	}
	if !checked || rewind.Behind(tx, string(r.project.ID), last) {
		return &fault.Error{
			Code: fault.Unavailable, RetryAfter: time.Second,
			Detail: "publishing waits until the database, which was restarted, has been compared with what was published before; try again shortly",
		}
	}
	r.set.ReleaseNumber, r.set.Status = last.Number+1, content.ChangeSetPublished
	return nil
}
