package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/schemadeploy"
	"svc/core/wire"
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
	d, err := schemadeploy.Get(c.ctx(), c.server.Pool, c.project.ID, c.param("collection"))
	if err != nil {
		return wire.Collection{}, err
	}
	return collectionOf(d), nil
}

func listVersions(c *call) (wire.List[wire.CollectionVersion], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.CollectionVersion]{}, err
	}
	list, err := schemadeploy.Versions(c.ctx(), c.server.Pool, c.project.ID, c.param("collection"), page)
	return listingOf(list, func(v schemadeploy.Version) wire.CollectionVersion {
		return wire.CollectionVersion{Number: v.Number, Hash: v.Hash, Summary: v.Summary, CreatedBy: orNull(v.CreatedBy), CreatedAt: wire.Time{Time: v.CreatedAt}, Schema: v.Canonical}
	}, err)
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
	out, err := schemadeploy.Push(c.ctx(), c.server.Pool, c.actor, c.project.ID, schemadeploy.Proposal(in))
	if err != nil {
		return wire.Plan{}, err
	}
	return pushedOf(out), nil
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
