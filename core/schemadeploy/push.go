package schemadeploy

import (
	"context"
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
// allowed, VALIDATION_FAILED with the entries where content does not fit, which nothing can allow; an actor who may not read
// content learns their number alone. FORBIDDEN for one who is confined to collections. A set that is in force already
// changes nothing. A deployed collection that is not in the set is removed: no one reads or writes its entries any
// more, but they are kept, and are checked if it ever comes back.
func Push(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, in Proposal) (Outcome, error) {
	proposed, err := schema.ParseSet(in.Collections)
	if err != nil {
		return Outcome{}, err
	}
	if n := utf8.RuneCountInString(in.Summary); n > maxSummary {
		return Outcome{}, fault.Invalid("summary", "must have at most %d characters; it has %d", maxSummary, n)
	}
	w := proposal{actor: actor, proposed: proposed}
	return w.push(ctx, pool, id, in.AllowDestructive, in.Summary)
}

// push puts in force what is proposed. It looks at everything twice: first while the project goes on as ever, where what
// must be refused mostly shows already; then under its lock, where no one writes an entry, publishes or changes settings
// until the commit, and what was found to fit need not be read again.
func (w proposal) push(ctx context.Context, pool *pgxpool.Pool, id content.ProjectID, allowDestructive bool, summary string) (Outcome, error) {
	if err := unconfined(w.actor); err != nil {
		return Outcome{}, err
	}
	w.fits = fits{}
	var on *compared
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

// accept compares the proposal and refuses what must not be put in force.
func (w proposal) accept(ctx context.Context, q postgres.Querier, p *project.Project, allowDestructive bool) (*compared, error) {
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
	return on, refuseMisfits(w.actor, on.out)
}
