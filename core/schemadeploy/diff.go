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
	"svc/shared/schema"
	"svc/shared/schema/diff"
	"svc/shared/value"
)

// Outcome is what a push would do, or did.
type Outcome struct {
	Plan              diff.Plan
	ContentErrors     []ContentError // the first ones
	ContentErrorCount int
	// Versions are those that the collections of the set have after a push; empty for a diff.
	Versions map[string]uint32
}

// Diff says what pushing these collections would do. It changes nothing.
func Diff(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, collections []jsontext.Value) (Outcome, error) {
	proposed, err := schema.ParseSet(collections)
	if err != nil {
		return Outcome{}, err
	}
	var out Outcome
	err = postgres.ReadTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Get(ctx, tx, string(id))
		if err != nil {
			return err
		}
		_, out, err = weigh(ctx, tx, actor, p, proposed)
		return err
	})
	return out, err
}

// weigh holds a proposal against what is in force, which it returns too.
func weigh(ctx context.Context, q postgres.Querier, actor *access.Actor, p *project.Project, proposed []*schema.Collection) (Set, Outcome, error) {
	set, err := Load(ctx, q, p.ID)
	if err != nil {
		return nil, Outcome{}, err
	}
	if err := confine(actor, set, proposed); err != nil {
		return nil, Outcome{}, err
	}
	out, err := compare(ctx, q, p, set, proposed)
	return set, out, err
}

// compare plans the step from what is in force to what is proposed and checks the content it concerns.
func compare(ctx context.Context, q postgres.Querier, p *project.Project, set Set, proposed []*schema.Collection) (Outcome, error) {
	out := Outcome{Plan: diff.Diff(set.Schemas(), proposed)}
	var changed []*schema.Collection
	for _, c := range proposed {
		if d := set.Get(c.Name); d != nil && d.Hash != c.Hash() {
			changed = append(changed, c)
		}
	}
	var err error
	out.ContentErrors, out.ContentErrorCount, err = checkContent(ctx, q, p.ID, Locales(p), changed)
	return out, err
}

// Locales are the locales under which the project's content is read and checked.
func Locales(p *project.Project) value.Locales {
	return value.Locales{Codes: p.Locales, Default: p.DefaultLocale}
}
