package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/core/wire"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

func collectionOf(d *schemadeploy.Deployed) wire.Collection {
	s := d.Schema
	return wire.Collection{
		Name: s.Name, Label: s.Label, Kind: s.Kind, Visibility: s.Visibility, Path: orNull(s.Path), Guidance: orNull(s.Guidance),
		Version: d.Version, Hash: d.Hash, Schema: s.Canonical(), CreatedAt: wire.Time{Time: d.CreatedAt}, UpdatedAt: wire.Time{Time: d.UpdatedAt},
	}
}

// collections are those in force that the caller's key covers.
func (c *call) collections() ([]wire.Collection, error) {
	set, err := schemadeploy.Load(c.ctx(), c.server.Pool, c.project.ID)
	if err != nil {
		return nil, err
	}
	out := make([]wire.Collection, 0, len(set))
	for _, d := range set {
		if access.Confine(c.actor, d.Schema.Name) == nil {
			out = append(out, collectionOf(d))
		}
	}
	return out, nil
}

// listCollections is the management side of the dual-mode route: collections with their schemas.
func listCollections(c *call) (wire.List[wire.Collection], error) {
	all, err := c.collections()
	return wire.List[wire.Collection]{Data: all}, err
}

// getSchema answers with the set in force; for a key confined to collections with its part of it.
func getSchema(c *call) (wire.Schema, error) {
	all, err := c.collections()
	return wire.Schema{Collections: all}, err
}

func getCollection(c *call) (wire.Collection, error) {
	return as(collectionOf)(schemadeploy.Get(c.ctx(), c.server.Pool, c.project.ID, c.param("collection")))
}

func listVersions(c *call) (wire.List[wire.CollectionVersion], error) {
	return pageOf(func(v schemadeploy.Version) wire.CollectionVersion {
		return wire.CollectionVersion{Number: v.Number, Hash: v.Hash, Summary: v.Summary, CreatedBy: orNull(v.CreatedBy), CreatedAt: wire.Time{Time: v.CreatedAt}, Schema: v.Canonical}
	})(schemadeploy.Versions(c.ctx(), c.server.Pool, c.project.ID, c.param("collection"), c.page()))
}

// needSet refuses a missing set, which is not an empty one.
func needSet(collections []jsontext.Value) error {
	if collections == nil {
		return fault.Invalid("collections", "is missing: give the whole set of collections")
	}
	return nil
}

func diffSchema(c *call, in wire.SchemaSet) (wire.Plan, error) {
	if err := needSet(in.Collections); err != nil {
		return wire.Plan{}, err
	}
	out, err := schemadeploy.Diff(c.ctx(), c.server.Pool, c.actor, c.project.ID, in.Collections)
	if err != nil {
		return wire.Plan{}, err
	}
	body := planOf(out)
	body.ConfinedTo, _ = access.Confined(c.actor)
	return body, nil
}

func pushSchema(c *call, in wire.SchemaProposal) (wire.Plan, error) {
	if err := needSet(in.Collections); err != nil {
		return wire.Plan{}, err
	}
	return as(pushedOf)(schemadeploy.Push(c.ctx(), c.server.Pool, c.actor, c.project.ID, schemadeploy.Proposal(in)))
}

// pushedOf is the plan of a push with the versions that it led to.
func pushedOf(out schemadeploy.Outcome) wire.Plan {
	plan := planOf(out)
	plan.Versions = out.Versions
	return plan
}

func planOf(out schemadeploy.Outcome) wire.Plan {
	body := wire.Plan{
		Operations: operationsOf(out.Plan), Classification: out.Plan.Class, ContentErrorCount: out.ContentErrorCount,
		ContentChecked: out.ContentChecked, InSync: out.Plan.InSync(),
	}
	for _, e := range out.ContentErrors {
		body.ContentErrors = append(body.ContentErrors, wire.ContentError(e))
	}
	return body
}

func operationsOf(plan diff.Plan) []wire.Operation {
	body := make([]wire.Operation, len(plan.Operations))
	for i, o := range plan.Operations {
		body[i] = wire.Operation{Collection: o.Collection, Field: o.Field, Kind: o.Kind, Classification: o.Class, Message: o.Message}
	}
	return body
}

// getTranslations says how far each locale of a collection is.
func getTranslations(c *call) (wire.Coverage, error) {
	name := c.param("collection")
	coverage, err := schemadeploy.Translations(c.ctx(), c.server.Pool, c.project.ID, name)
	if err != nil {
		return wire.Coverage{}, err
	}
	body := wire.Coverage{Collection: name, Entries: coverage.Entries, Fields: coverage.Fields, Locales: make([]wire.LocaleCoverage, len(coverage.Locales))}
	for i, l := range coverage.Locales {
		of := wire.LocaleCoverage{Locale: l.Locale, Complete: l.Complete, Percent: l.Percent}
		for _, m := range l.Missing {
			of.Missing = append(of.Missing, wire.MissingField(m))
		}
		for _, e := range l.Worklist {
			of.Worklist = append(of.Worklist, wire.MissingEntry(e))
		}
		body.Locales[i] = of
	}
	return body, nil
}

// otherProject is a second project that a request names beside the one of its path, as NOT_FOUND where the caller does not
// reach it and FORBIDDEN where the scope is missing there.
func (c *call) otherProject(path, ref string, scope credential.Scope) (*project.Project, error) {
	if ref == "" {
		return nil, fault.Invalid(path, "is missing: the id or slug of a project")
	}
	if !isText(ref) {
		return nil, fault.New(fault.NotFound, "%s: there is no project %.80q", path, ref)
	}
	p, err := project.Get(c.ctx(), c.server.Pool, ref)
	if err == nil {
		err = access.Require(c.actor, access.Need{Place: p.Place(), Scope: scope})
	}
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "%s: there is no project %.80q", path, ref)
	}
	return p, err
}

// driftSchema says what promoting the other project's schemas would change in this one.
func driftSchema(c *call) (wire.Drift, error) {
	other, err := c.otherProject("against", c.query.Get("against"), credential.SchemaRead)
	if err != nil {
		return wire.Drift{}, err
	}
	plan, err := schemadeploy.Drift(c.ctx(), c.server.Pool, c.actor, c.project.ID, other.ID)
	if err != nil {
		return wire.Drift{}, err
	}
	confined, _ := access.Confined(c.actor)
	return wire.Drift{Operations: operationsOf(plan), Classification: plan.Class, InSync: plan.InSync(), ConfinedTo: confined}, nil
}

// promoteSchema pushes what another project has in force.
func promoteSchema(c *call, in wire.Promotion) (wire.Plan, error) {
	from, err := c.otherProject("fromProject", in.FromProject, credential.SchemaRead)
	if err != nil {
		return wire.Plan{}, err
	}
	return as(pushedOf)(schemadeploy.Promote(c.ctx(), c.server.Pool, c.actor, c.project.ID, schemadeploy.Promotion{
		From: from, Confirm: in.Confirm, AllowDestructive: in.AllowDestructive,
	}))
}
