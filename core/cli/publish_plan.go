package cli

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"svc/core/wire"
	"svc/shared/fault"
)

// publishPlan is what publishing a change set does now.
type publishPlan struct {
	set        wire.ChangeSet
	items      []wire.Item
	names      resourceNames // of the items
	validation wire.Validation
}

func (a *app) readPublishPlan(ctx context.Context, id string) (plan publishPlan, err error) {
	view, err := a.readChangeSet(ctx, id, 0)
	if err != nil {
		return plan, err
	}
	plan.set, plan.items, plan.names = view.ChangeSet, view.Items, a.namesOf(ctx, view.Items)
	plan.validation, err = a.client.Validate(ctx, a.project, id)
	return plan, err
}

// agreeToPublish shows what a change set publishes and asks, again where something else is staged in it before the answer. What would
// be refused is refused at once. The route takes no fingerprint of what is to be published, so what others stage between the last look
// and the publish is published with the rest.
func (a *app) agreeToPublish(ctx context.Context, id string) error {
	for agreed := (*publishPlan)(nil); ; {
		plan, err := ask(a, "validating", func() (publishPlan, error) { return a.readPublishPlan(ctx, id) })
		switch {
		case err != nil:
			return err
		case agreed != nil && reflect.DeepEqual(plan, *agreed):
			return nil
		case agreed != nil:
			a.warn(`the change set has changed since it was shown; it is this now, and "svc change-sets diff %s" shows all of it`, id)
		}
		a.tell(plan.show)
		if !plan.validation.Valid {
			f := &failure{exit: ExitValidation, Code: string(fault.PublishValidationFailed), Detail: plan.validation.Detail, Errors: issuesOf(plan.validation.Errors)}
			return a.refusedPublish(ctx, id, f)
		}
		what := fmt.Sprintf("publishing %q to %s", plan.set.Title, a.project)
		if agreed == nil {
			err = a.confirm(ctx, what)
		} else {
			err = a.confirmChanged(ctx, what, len(plan.items), "items")
		}
		if err != nil {
			return err
		}
		agreed = &plan
	}
}

// show counts the items by their effects. What is wrong with them is told by the failure.
func (plan publishPlan) show(p *page) {
	times := map[string]int{}
	for _, i := range plan.items {
		times[effect(i)]++
	}
	var counts []string
	for _, done := range effects() {
		if n := times[done]; n > 0 {
			counts = append(counts, count(n)+" to "+string(p.paint(looks[done], done)))
		}
	}
	p.line("%s %s: %s", p.paint(bold, string(plan.set.ID)), fmt.Sprintf("%q", plan.set.Title), painted(cmp.Or(strings.Join(counts, ", "), "nothing")))
	p.changeSetWarnings(plan.validation.Warnings, plan.names)
}
