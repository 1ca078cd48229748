package schemadeploy

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/schema"
	"svc/shared/schema/diff"
	"svc/shared/value"
)

// Outcome is what a push would do, or did.
type Outcome struct {
	Plan              diff.Plan
	ContentErrors     []ContentError // the first ones
	ContentErrorCount int
	former            int // of them, values of fields that were removed
	// ContentChecked is false where content was left alone, since the actor may not read it.
	ContentChecked bool
	// Versions are those that the collections of the set have after a push; empty for a diff.
	Versions map[string]uint32
}

// Diff says what pushing these collections would do. It changes nothing. To an actor who may not read content it says
// nothing of it; to one who is confined to collections nothing of others, in the project as in the proposal.
func Diff(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, collections []jsontext.Value) (Outcome, error) {
	proposed, err := schema.ParseSet(collections)
	if err != nil {
		return Outcome{}, err
	}
	w := proposal{actor: actor, proposed: proposed}
	var out Outcome
	err = postgres.ReadTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Get(ctx, tx, string(id))
		if err != nil {
			return err
		}
		on, err := w.plan(ctx, tx, p)
		if err != nil {
			return err
		}
		if access.Carries(actor, credential.ContentRead) {
			err = w.content(ctx, tx, on)
		}
		out = on.out
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return out, nil
}

// Locales are the locales under which the project's content is read and checked.
func Locales(p *project.Project) value.Locales {
	return value.Locales{Codes: p.Locales, Default: p.DefaultLocale}
}
