package schemadeploy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// Configure changes settings of a project. Locales must fit its content as schemas must: every published head and every
// draft in an open or ready set satisfies the schemas in force under them, and means what it meant. A plain value is that of
// the default locale from the moment when the project has one, and stays with it. Else they are CONFLICT, with the entries for
// an actor who may read content.
func Configure(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, in project.Settings) (*project.Project, error) {
	known := fits{}
	return project.Update(ctx, pool, actor, id, in, func(ctx context.Context, q postgres.Querier, before, after *project.Project) error {
		return relocate(ctx, q, actor, known, before, after)
	})
}

// relocate checks the content of the collections that have localized fields, by name.
func relocate(ctx context.Context, q postgres.Querier, actor *access.Actor, known fits, before, after *project.Project) error {
	set, err := Load(ctx, q, after.ID)
	if err != nil {
		return err
	}
	k := contentCheck{
		q: q, project: after.ID, actor: actor, before: Locales(before), locales: Locales(after),
		remains: func(to Target) bool { return !to.Removed },
	}
	for _, d := range set {
		if !slices.ContainsFunc(d.Schema.Fields, func(f *schema.Field) bool { return f.Localized }) {
			continue
		}
		k.fits = known.under(d, d.Schema, before, after)
		if err := k.collection(ctx, d.Schema, d.Schema); err != nil {
			return err
		}
	}
	if err := k.nameOrphans(ctx); err != nil {
		return err
	}
	return refuseLocales(actor, &k)
}

// refuseLocales refuses locales that content does not fit.
func refuseLocales(actor *access.Actor, k *contentCheck) error {
	if k.count == 0 {
		return nil
	}
	f := fault.New(fault.Conflict, "existing content does not fit a project with %s in %s", localesText(k.locales), schema.Count(k.count, "place"))
	if !access.Carries(actor, credential.ContentRead) {
		f.Detail += "; the API key does not carry the scope content:read, so the entries are not named"
		return f
	}
	f.Items = itemsOf(k.errors)
	f.Detail += ", the first: " + strings.TrimSpace(f.Items[0].String())
	for _, e := range k.errors {
		f.EntryIDs = append(f.EntryIDs, string(e.Entry))
	}
	slices.Sort(f.EntryIDs)
	f.EntryIDs = slices.Compact(f.EntryIDs)
	return f
}

func localesText(l value.Locales) string {
	if l.None() {
		return "no locales"
	}
	return fmt.Sprintf("the locales %s with the default %s", schema.ShowAll(l.Codes), l.Default)
}
