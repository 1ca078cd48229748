package schemadeploy

import (
	"cmp"
	"context"
	"slices"

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
		set, err := Load(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := confine(actor, set, proposed); err != nil {
			return err
		}
		out.Plan = diff.Diff(set.Schemas(), proposed)
		return out.checkContent(ctx, tx, p, set, proposed)
	})
	if err != nil {
		return Outcome{}, err
	}
	return out, nil
}

// checkContent checks the content of the collections that would change, by name. One that comes back is held against the
// entries it had when it was removed.
func (out *Outcome) checkContent(ctx context.Context, q postgres.Querier, p *project.Project, set Set, proposed []*schema.Collection) error {
	gone, err := removed(ctx, q, p.ID)
	if err != nil {
		return err
	}
	k := contentCheck{q: q, project: p.ID, locales: Locales(p)}
	for _, c := range slices.SortedFunc(slices.Values(proposed), byName) {
		d := cmp.Or(set.Get(c.Name), gone.Get(c.Name))
		if d == nil || set.Get(c.Name) != nil && d.Hash == c.Hash() {
			continue // it has no entries, or they fit
		}
		if err := k.collection(ctx, d.Schema, c); err != nil {
			return err
		}
	}
	out.ContentErrors, out.ContentErrorCount = k.errors, k.count
	return nil
}

func byName(a, b *schema.Collection) int { return cmp.Compare(a.Name, b.Name) }

// Locales are the locales under which the project's content is read and checked.
func Locales(p *project.Project) value.Locales {
	return value.Locales{Codes: p.Locales, Default: p.DefaultLocale}
}
