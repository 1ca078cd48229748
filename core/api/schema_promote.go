package api

import (
	"svc/core/access"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/core/wire"
	"svc/shared/credential"
	"svc/shared/fault"
)

// otherProject is a second project that a request names beside the one of its path, as NOT_FOUND where the caller does not
// reach it and FORBIDDEN where the scope is missing there.
func (c *call) otherProject(path, ref string, scope credential.Scope) (*project.Project, error) {
	if ref == "" {
		return nil, fault.Invalid(path, "is missing: the id or slug of a project")
	}
	if !isText(ref) {
		return nil, fault.New(fault.NotFound, "there is no project %.80q, which %s names", ref, path)
	}
	p, err := project.Get(c.ctx(), c.server.Pool, ref)
	if err == nil {
		err = access.Require(c.actor, scope, p.Place())
	}
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "there is no project %.80q, which %s names", ref, path)
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
	out, err := schemadeploy.Promote(c.ctx(), c.server.Pool, c.actor, c.project.ID, schemadeploy.Promotion{
		From: from, Confirm: in.Confirm, AllowDestructive: in.AllowDestructive,
	})
	if err != nil {
		return wire.Plan{}, err
	}
	return pushedOf(out), nil
}
