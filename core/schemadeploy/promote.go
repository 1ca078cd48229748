package schemadeploy

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

// Promotion puts in force what another project has in force.
type Promotion struct {
	// From is the other project. That the actor may read its schemas is for the caller to check.
	From *project.Project
	// Confirm must be true.
	Confirm bool
	// AllowDestructive allows what loses content.
	AllowDestructive bool
}

// Promote pushes the set that another project has in force, as Push does. The content of the project decides, not that of
// the other.
func Promote(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, in Promotion) (Outcome, error) {
	if !in.Confirm {
		return Outcome{}, fault.Invalid("confirm", "must be true: promoting takes effect at once")
	}
	set, err := Load(ctx, pool, in.From.ID)
	if err != nil {
		return Outcome{}, err
	}
	w := proposal{actor: actor, proposed: set.Schemas()}
	return w.push(ctx, pool, id, in.AllowDestructive, "promoted from "+in.From.Slug)
}

// Drift says what promoting the other project's set would change in this one, whatever the content. A key that is
// confined to collections sees its part of both sets.
func Drift(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id, against content.ProjectID) (diff.Plan, error) {
	var plan diff.Plan
	err := postgres.ReadTx(ctx, pool, func(tx pgx.Tx) error {
		here, err := Load(ctx, tx, id)
		if err != nil {
			return err
		}
		gone, err := removed(ctx, tx, id)
		if err != nil {
			return err
		}
		there, err := Load(ctx, tx, against)
		if err != nil {
			return err
		}
		plan = compare(covered(actor, here), gone, covered(actor, there).Schemas())
		return nil
	})
	return plan, err
}

// covered is the part of a set that the actor is not kept from.
func covered(actor *access.Actor, set Set) Set {
	return slices.DeleteFunc(set, func(d *Deployed) bool { return access.Confine(actor, d.Schema.Name) != nil })
}
