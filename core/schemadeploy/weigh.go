package schemadeploy

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/schema/diff"
)

// weighing holds a proposal against what a project has, once or several times.
type weighing struct {
	actor   *access.Actor
	propose func(ctx context.Context, q postgres.Querier) ([]*schema.Collection, error)
	// fits is what is known to fit already; nil keeps nothing in mind.
	fits fits
}

// weighed is a proposal beside what is in force.
type weighed struct {
	project  *project.Project
	set      Set
	proposed []*schema.Collection
	out      Outcome
}

// plan compares the schemas.
func (w weighing) plan(ctx context.Context, q postgres.Querier, p *project.Project) (*weighed, error) {
	proposed, err := w.propose(ctx, q)
	if err != nil {
		return nil, err
	}
	set, err := Load(ctx, q, p.ID)
	if err != nil {
		return nil, err
	}
	if err := confine(w.actor, set, proposed); err != nil {
		return nil, err
	}
	return &weighed{p, set, proposed, Outcome{Plan: diff.Diff(set.Schemas(), proposed)}}, nil
}

// content checks the content of the collections that would change, by name. One that comes back is held against the
// entries it had when it was removed.
func (w weighing) content(ctx context.Context, q postgres.Querier, on *weighed) error {
	gone, err := removed(ctx, q, on.project.ID)
	if err != nil {
		return err
	}
	k := contentCheck{q: q, project: on.project.ID, locales: Locales(on.project)}
	for _, c := range slices.SortedFunc(slices.Values(on.proposed), byName) {
		inForce := on.set.Get(c.Name)
		d := cmp.Or(inForce, gone.Get(c.Name))
		if d == nil || inForce != nil && d.Hash == c.Hash() {
			continue // it has no entries, or they fit
		}
		k.fits = w.fits.under(d, c, on.project)
		if err := k.collection(ctx, d.Schema, c); err != nil {
			return err
		}
	}
	on.out.ContentErrors, on.out.ContentErrorCount = k.errors, k.count
	return nil
}

func byName(a, b *schema.Collection) int { return cmp.Compare(a.Name, b.Name) }

// fits keeps in mind which revisions fit, for each set of circumstances that this depends on. They are immutable, so what
// fits once does so again.
type fits map[circumstances]map[content.RevisionID]struct{}

// circumstances are the schemas that a collection goes from and to, by their hashes, and the project's locales.
type circumstances struct{ collection, was, now, locales string }

// maxFits bounds the revisions that are kept in mind for a collection, at about 100 bytes each.
const maxFits = 500_000

func (f fits) under(was *Deployed, now *schema.Collection, p *project.Project) map[content.RevisionID]struct{} {
	if f == nil {
		return nil
	}
	at := circumstances{now.Name, was.Hash, now.Hash(), p.DefaultLocale + " " + strings.Join(p.Locales, " ")}
	if f[at] == nil {
		f[at] = map[content.RevisionID]struct{}{}
	}
	return f[at]
}
