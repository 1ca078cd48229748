package account

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/event"
	"svc/core/postgres"
	"svc/shared/fault"
)

// Plan says how much an organization may use (contract, "Limits").
type Plan string

// The plans. PlanUnlimited is that of every organization until an operator says otherwise.
const (
	PlanFree      Plan = "free"
	PlanPro       Plan = "pro"
	PlanUnlimited Plan = "unlimited"
)

// Plans returns all plans, the smallest first.
func Plans() []Plan { return []Plan{PlanFree, PlanPro, PlanUnlimited} }

// MonthlyReads is the soft limit of public reads in a calendar month, and false where the plan has none. No read is ever refused for
// it: an organization beyond it is told so.
func (p Plan) MonthlyReads() (reads uint64, limited bool) {
	switch p {
	case PlanFree:
		return 100_000, true
	case PlanPro:
		return 5_000_000, true
	}
	return 0, false
}

// SetPlan puts the organization with this id or slug on a plan. It is VALIDATION_FAILED for any other plan, and NOT_FOUND where there
// is no such organization.
func SetPlan(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, ref string, plan Plan) (*Organization, error) {
	if !slices.Contains(Plans(), plan) {
		return nil, fault.Invalid("plan", "must be one of %s, %s and %s, not %q", PlanFree, PlanPro, PlanUnlimited, plan)
	}
	var org *Organization
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		found, err := GetOrganization(ctx, tx, ref)
		if err != nil {
			return err
		}
		if org, err = lockOrganization(ctx, tx, found.ID); err != nil || org.Plan == plan {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE organization SET plan = $2 WHERE id = $1`, org.ID, plan); err != nil {
			return fmt.Errorf("setting the plan of an organization: %w", err)
		}
		change := map[string]Plan{"before": org.Plan, "plan": plan}
		org.Plan = plan
		return event.Audit(ctx, tx, actor, event.Record{Organization: org.ID, Action: event.OrganizationUpdate, Subject: string(org.ID), Detail: change})
	})
	return org, err
}
