package changeset

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/asset"
	"svc/core/changelog"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/replication/record"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// slugConstraint keeps published slugs unique in a collection. It is deferred, so slugs swap inside one release.
const slugConstraint = "entry_published_slug_key"

// Published is what a publish brought about.
type Published struct {
	ChangeSet *ChangeSet
	EntryIDs  []content.EntryID // created and updated ones
	Release   content.Release
	Position  record.Position // of the release in the project's log
}

// Publish publishes a set in one transaction (interface, "Publish effects"). It must be confirmed. A published or
// closed set is CONFLICT; what Validate finds is PUBLISH_VALIDATION_FAILED; then the gates decide. Of two sets that
// stage the same entry the first to publish wins, and the other one's base is stale.
func Publish(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string, confirm bool) (*Published, error) {
	if !confirm {
		return nil, fault.Invalid("confirm", "must be true: publishing takes effect at once")
	}
	var out *Published
	var err error
	// A slug that another release took between the check and the commit is found by the check of the next attempt.
	for range 3 {
		err = postgres.InTx(ctx, pool, func(tx pgx.Tx) (err error) {
			out, err = publish(ctx, tx, actor, id, changeSet)
			return err
		})
		if !postgres.Violates(err, slugConstraint) {
			break
		}
	}
	if err != nil {
		return nil, postgres.MapError(err, map[string]*fault.Error{
			slugConstraint: fault.New(fault.PublishValidationFailed, "other releases keep taking a slug of the change set; try again"),
		})
	}
	return out, nil
}

// publish is the transaction, step by step.
func publish(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet string) (*Published, error) {
	r := &release{holds: true}
	if err := r.lockSet(ctx, tx, id, changeSet); err != nil {
		return nil, err
	}
	if err := r.holdSchemas(ctx, tx, id); err != nil {
		return nil, err
	}
	if err := r.lock(ctx, tx); err != nil {
		return nil, err
	}
	if err := r.confine(actor); err != nil {
		return nil, err
	}
	if err := r.validate(ctx, tx); err != nil {
		return nil, err
	}
	if err := r.gates(); err != nil {
		return nil, err
	}
	if err := r.planAfresh(ctx, tx); err != nil {
		return nil, err
	}
	if err := r.number(ctx, tx); err != nil {
		return nil, err
	}
	if err := r.movePointers(ctx, tx); err != nil {
		return nil, err
	}
	assets, err := asset.Publish(ctx, tx, id, r.assets)
	if err != nil {
		return nil, err
	}
	if err := r.refreshStatistics(ctx, tx); err != nil {
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
	return r.published(position), nil
}

// published is what the transaction brings about.
func (r *release) published(position record.Position) *Published {
	out := &Published{
		ChangeSet: r.set, EntryIDs: []content.EntryID{}, Position: position,
		Release: content.Release{Number: r.set.ReleaseNumber, PublishedAt: r.publishedAt},
	}
	for _, i := range r.items {
		if i.operation.Publishes() {
			out.EntryIDs = append(out.EntryIDs, i.entry)
		}
	}
	return out
}

// lockSet holds the set and checks that it can be published.
func (r *release) lockSet(ctx context.Context, tx pgx.Tx, id content.ProjectID, changeSet string) (err error) {
	if r.set, err = lock(ctx, tx, id, changeSet); err != nil {
		return err
	}
	if !r.set.Status.CanBecome(content.ChangeSetPublished) {
		return fault.New(fault.Conflict, "the change set %s is %s and cannot be published", r.set.ID, r.set.Status)
	}
	return nil
}

// holdSchemas keeps the project's settings and schemas as they are.
func (r *release) holdSchemas(ctx context.Context, tx pgx.Tx, id content.ProjectID) (err error) {
	if r.project, err = project.Share(ctx, tx, id); err != nil {
		return err
	}
	r.schemas, err = schemadeploy.Load(ctx, tx, id)
	return err
}

// confine refuses a set with entries of collections that the actor may not touch.
func (r *release) confine(actor *access.Actor) error {
	for _, i := range r.items {
		if err := access.Confine(actor, i.collection); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) validate(ctx context.Context, tx pgx.Tx) error {
	found, err := r.check(ctx, tx)
	if err != nil || len(found) == 0 {
		return err
	}
	return &fault.Error{
		Code:   fault.PublishValidationFailed,
		Detail: fmt.Sprintf("the change set has %s; the first: %s", schema.Count(len(found), "fault"), found[0]),
		Items:  found,
	}
}

func (r *release) gates() error {
	return CheckGates(Facts{RequiredApprovals: r.project.RequiredApprovals, RequireChecksPass: r.project.RequireChecksPass})
}

// planAfresh and refreshStatistics keep large releases, and whatever follows them, at good plans.
func (r *release) planAfresh(ctx context.Context, tx pgx.Tx) error {
	if len(r.items) < postgres.Bulk {
		return nil
	}
	return postgres.BeginBulk(ctx, tx)
}

func (r *release) refreshStatistics(ctx context.Context, tx pgx.Tx) error {
	if len(r.items) < postgres.Bulk {
		return nil
	}
	return postgres.EndBulk(ctx, tx, "entry", "publication", "release_item")
}

// number takes the next release number. From here to the commit releases of the project follow one another. In a
// database that may have gone back there is no next number yet: it may have been given before.
func (r *release) number(ctx context.Context, tx pgx.Tx) error {
	var checked bool
	var last record.Stamp
	err := tx.QueryRow(ctx, `SELECT number, published_at, `+changelog.CheckedSQL+`, `+postgres.HoldBriefly+`
		FROM release_head WHERE project_id = $1 FOR UPDATE`, r.project.ID).Scan(&last.Number, &last.Time, &checked, nil)
	if err != nil {
		return fmt.Errorf("numbering a release: %w", err)
	}
	if !checked || changelog.Behind(tx, string(r.project.ID), last) {
		return &fault.Error{
			Code: fault.Unavailable, RetryAfter: time.Second,
			Detail: "publishing waits until the database, which was started anew, has been compared with what was published before; try again shortly",
		}
	}
	r.set.ReleaseNumber, r.set.Status = last.Number+1, content.ChangeSetPublished
	return nil
}
