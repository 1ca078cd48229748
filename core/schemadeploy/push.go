package schemadeploy

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

const maxSummary = 500 // characters

// Proposal is a whole set of collections to put in force.
type Proposal struct {
	Collections []jsontext.Value
	// AllowDestructive allows what loses content.
	AllowDestructive bool
	Summary          string
}

// Push puts a set in force, all of it or nothing: SCHEMA_CHANGE_DESTRUCTIVE where it would lose content and that is not
// allowed, VALIDATION_FAILED with the entries where content does not fit, which nothing can allow. A set that is in force
// already changes nothing. A deployed collection that is not in the set is removed: nobody reads or writes its entries any
// more, but they are kept, and are checked if it ever comes back.
func Push(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, in Proposal) (Outcome, error) {
	proposed, err := schema.ParseSet(in.Collections)
	if err != nil {
		return Outcome{}, err
	}
	if n := utf8.RuneCountInString(in.Summary); n > maxSummary {
		return Outcome{}, fault.Invalid("summary", "must have at most %d characters; it has %d", maxSummary, n)
	}
	w := weighing{actor: actor, propose: fixed(proposed)}
	return w.push(ctx, pool, id, in.AllowDestructive, in.Summary)
}

// fixed proposes a set whatever there is.
func fixed(proposed []*schema.Collection) func(context.Context, postgres.Querier) ([]*schema.Collection, error) {
	return func(context.Context, postgres.Querier) ([]*schema.Collection, error) { return proposed, nil }
}

// push puts in force what is proposed. It looks at everything twice: first while the project goes on as ever, where what
// must be refused mostly shows already; then under its lock, where nobody writes an entry, publishes or changes settings
// until the commit, and what was found to fit need not be read again.
func (w weighing) push(ctx context.Context, pool *pgxpool.Pool, id content.ProjectID, allowDestructive bool, summary string) (Outcome, error) {
	w.fits = fits{}
	var on *weighed
	err := postgres.ReadTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Get(ctx, tx, string(id))
		if err != nil {
			return err
		}
		_, err = w.accept(ctx, tx, p, allowDestructive)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	err = postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if on, err = w.accept(ctx, tx, p, allowDestructive); err != nil {
			return err
		}
		on.out.Versions, err = deploy(ctx, tx, w.actor, p, on.set, on.proposed, summary)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return on.out, nil
}

// accept weighs the proposal and refuses what must not be put in force.
func (w weighing) accept(ctx context.Context, q postgres.Querier, p *project.Project, allowDestructive bool) (*weighed, error) {
	on, err := w.plan(ctx, q, p)
	if err != nil {
		return nil, err
	}
	if err := refuseLoss(on.out.Plan, allowDestructive); err != nil {
		return nil, err
	}
	if err := w.content(ctx, q, on); err != nil {
		return nil, err
	}
	return on, refuseMisfits(on.out)
}

// confine refuses a set that adds, changes or removes collections out of the actor's reach.
func confine(actor *access.Actor, set Set, proposed []*schema.Collection) error {
	for _, c := range proposed {
		if d := set.Get(c.Name); d != nil && d.Hash == c.Hash() && d.Schema.Label == c.Label {
			continue
		}
		if err := access.Confine(actor, c.Name); err != nil {
			return err
		}
	}
	for _, name := range absent(set, proposed) {
		if err := access.Confine(actor, name); err != nil {
			return err
		}
	}
	return nil
}

// refuseMisfits refuses a push that content does not fit.
func refuseMisfits(out Outcome) error {
	if out.ContentErrorCount == 0 {
		return nil
	}
	f := fault.New(fault.ValidationFailed, "existing content does not fit the proposed schemas in %s", schema.Count(out.ContentErrorCount, "place"))
	if listed := len(out.ContentErrors); listed < out.ContentErrorCount {
		f.Detail += fmt.Sprintf("; the first %d are listed", listed)
	}
	for _, e := range out.ContentErrors {
		at := "collection " + e.Collection
		if e.Revision != "" {
			at += ", revision " + string(e.Revision)
		}
		f.Items = append(f.Items, fault.Item{
			Path: e.Path, Code: e.Code, Message: fmt.Sprintf("%s (%s)", e.Message, at),
			ResourceType: string(content.ResourceEntry), ResourceID: string(e.Entry),
		})
	}
	return f
}

// refuseLoss refuses a destructive push that was not allowed.
func refuseLoss(plan diff.Plan, allowed bool) error {
	if plan.Class != diff.Destructive || allowed {
		return nil
	}
	const most = 5
	var steps []string
	more := 0
	for _, o := range plan.Operations {
		switch {
		case o.Class != diff.Destructive:
		case len(steps) == most:
			more++
		default:
			steps = append(steps, strings.TrimSuffix(o.Collection+"."+o.Field, ".")+": "+o.Message)
		}
	}
	if more > 0 {
		steps = append(steps, fmt.Sprintf("and %d more", more))
	}
	return fault.New(fault.SchemaChangeDestructive, "the push would lose content (%s); pass allowDestructive to accept that", strings.Join(steps, "; "))
}
