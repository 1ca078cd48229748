package api

import (
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/core/wire"
)

func projectOf(p project.Project) wire.Project {
	return wire.Project{
		ID: p.ID, Organization: p.Organization, Slug: p.Slug, Name: p.Name, PublicAPIEnabled: p.PublicAPIEnabled,
		AllowedOrigins: p.AllowedOrigins, Locales: p.Locales, DefaultLocale: orNull(p.DefaultLocale),
		Guidance: orNull(p.Guidance), RequiredApprovals: p.RequiredApprovals, RequireChecksPass: p.RequireChecksPass,
		Pin: pinOf(p), CreatedAt: wire.Time{Time: p.CreatedAt}, UpdatedAt: wire.Time{Time: p.UpdatedAt},
	}
}

func createProject(c *call, in wire.NewProject) (wire.Project, error) {
	p, err := project.Create(c.ctx(), c.server.Pool, c.actor, c.organization.ID, project.NewProject{Name: in.Name, Slug: in.Slug})
	if err != nil {
		return wire.Project{}, err
	}
	return projectOf(*p), nil
}

func listProjects(c *call) (wire.List[wire.Project], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.Project]{}, err
	}
	list, err := project.List(c.ctx(), c.server.Pool, c.actor, page)
	return listingOf(list, projectOf, err)
}

func getProject(c *call) (wire.Project, error) { return projectOf(*c.project), nil }

func updateProject(c *call, in wire.ProjectSettings) (wire.Project, error) {
	p, err := schemadeploy.Configure(c.ctx(), c.server.Pool, c.actor, c.project.ID, project.Settings{
		Name: in.Name.Value, PublicAPIEnabled: in.PublicAPIEnabled.Value, AllowedOrigins: in.AllowedOrigins.Value,
		Locales: in.Locales.Value, DefaultLocale: in.DefaultLocale.Text, Guidance: in.Guidance.Text,
		RequiredApprovals: in.RequiredApprovals.Value, RequireChecksPass: in.RequireChecksPass.Value,
	})
	if err != nil {
		return wire.Project{}, err
	}
	return projectOf(*p), nil
}

func deleteProject(c *call) (none, error) {
	if err := project.Delete(c.ctx(), c.server.Pool, c.actor, c.project.ID); err != nil {
		return none{}, err
	}
	return none{}, nil
}
