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
)

// proposal is what a project is to have. It is compared with what the project has, once or several times.
type proposal struct {
	actor    *access.Actor
	proposed []*schema.Collection
	// fits is what is known to fit already; nil keeps nothing in mind.
	fits fits
}

// compared is a proposal beside what is in force.
type compared struct {
	project  *project.Project
	set      Set
	gone     Set // the collections that were removed
	proposed []*schema.Collection
	out      Outcome
}

// plan compares the schemas, as far as the actor sees them.
func (w proposal) plan(ctx context.Context, q postgres.Querier, p *project.Project) (*compared, error) {
	set, err := Load(ctx, q, p.ID)
	if err != nil {
		return nil, err
	}
	gone, err := removed(ctx, q, p.ID)
	if err != nil {
		return nil, err
	}
	on := &compared{project: p, set: covered(w.actor, set), gone: gone}
	on.proposed = slices.DeleteFunc(slices.Clone(w.proposed), func(c *schema.Collection) bool { return access.Confine(w.actor, c.Name) != nil })
	on.out.Plan = compare(on.set, on.gone, on.proposed)
	return on, nil
}

// content checks the content of the collections that would change, by name. One that comes back is held against the
// entries it had when it was removed.
func (w proposal) content(ctx context.Context, q postgres.Querier, on *compared) error {
	locales := Locales(on.project)
	k := contentCheck{q: q, project: on.project.ID, locales: locales, actor: w.actor, remains: w.remaining(on)}
	for _, c := range slices.SortedFunc(slices.Values(on.proposed), byName) {
		inForce := on.set.Get(c.Name)
		d := cmp.Or(inForce, on.gone.Get(c.Name))
		if d == nil || inForce != nil && d.Hash == c.Hash() {
			continue // it has no entries, or they fit
		}
		then := on.project
		if k.back = inForce == nil; k.back {
			var err error
			if then, err = removedUnder(ctx, q, on.project, c.Name); err != nil {
				return err
			}
		}
		k.before, k.sameLocales = Locales(then), sameLocales(then, on.project)
		k.fits = w.fits.under(d, c, then, on.project)
		k.version = d.Version
		if err := k.collection(ctx, d.Schema, c); err != nil {
			return err
		}
	}
	if err := k.nameOrphans(ctx); err != nil {
		return err
	}
	on.out.ContentErrors, on.out.ContentErrorCount, on.out.ContentChecked, on.out.former = k.errors, k.count, true, k.former
	return nil
}

// remaining tells the entries of collections that will be in force. Those that the actor is kept from stay as they are.
func (w proposal) remaining(on *compared) func(Target) bool {
	proposed := map[string]bool{}
	for _, c := range on.proposed {
		proposed[c.Name] = true
	}
	return func(to Target) bool {
		if access.Confine(w.actor, to.Collection) != nil {
			return !to.Removed
		}
		return proposed[to.Collection]
	}
}

func byName(a, b *schema.Collection) int { return cmp.Compare(a.Name, b.Name) }

// fits keeps in mind which revisions fit, for each set of circumstances that this depends on. They are immutable, so what
// fits once does so again, but for what depends on other entries and on assets: revisions with such are not kept in mind.
type fits map[circumstances]map[content.RevisionID]struct{}

// circumstances are the schemas that a collection goes from and to, by their hashes, and likewise the project's locales.
type circumstances struct{ collection, was, now, before, locales string }

// maxFits bounds the revisions that are kept in mind for a collection, at about 100 bytes each.
const maxFits = 500_000

func (f fits) under(was *Deployed, now *schema.Collection, before, after *project.Project) map[content.RevisionID]struct{} {
	if f == nil {
		return nil
	}
	locales := func(p *project.Project) string { return p.DefaultLocale + " " + strings.Join(p.Locales, " ") }
	at := circumstances{now.Name, was.Hash, now.Hash(), locales(before), locales(after)}
	if f[at] == nil {
		f[at] = map[content.RevisionID]struct{}{}
	}
	return f[at]
}
