package api

import (
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
)

type projectBody struct {
	ID                content.ProjectID      `json:"id"`
	Organization      content.OrganizationID `json:"organizationId"`
	Slug              string                 `json:"slug"`
	Name              string                 `json:"name"`
	PublicAPIEnabled  bool                   `json:"publicApiEnabled"`
	AllowedOrigins    []string               `json:"allowedOrigins"`
	Locales           []string               `json:"locales"`
	DefaultLocale     *string                `json:"defaultLocale"`
	Guidance          *string                `json:"guidance"`
	RequiredApprovals int                    `json:"requiredApprovals"`
	RequireChecksPass bool                   `json:"requireChecksPass"`
	Pin               *pinBody               `json:"pin"`
	CreatedAt         stamp                  `json:"createdAt"`
	UpdatedAt         stamp                  `json:"updatedAt"`
}

func projectOf(p project.Project) projectBody {
	return projectBody{
		ID: p.ID, Organization: p.Organization, Slug: p.Slug, Name: p.Name, PublicAPIEnabled: p.PublicAPIEnabled,
		AllowedOrigins: p.AllowedOrigins, Locales: p.Locales, DefaultLocale: orNull(p.DefaultLocale),
		Guidance: orNull(p.Guidance), RequiredApprovals: p.RequiredApprovals, RequireChecksPass: p.RequireChecksPass,
		Pin: pinOf(p), CreatedAt: stamp(p.CreatedAt), UpdatedAt: stamp(p.UpdatedAt),
	}
}

type newProject struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
}

func createProject(c *call, in newProject) (projectBody, error) {
	p, err := project.Create(c.ctx(), c.server.Pool, c.actor, c.organization.ID, project.NewProject{Name: in.Name, Slug: in.Slug})
	if err != nil {
		return projectBody{}, err
	}
	return projectOf(*p), nil
}

func listProjects(c *call) (listing[projectBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[projectBody]{}, err
	}
	list, err := project.List(c.ctx(), c.server.Pool, c.actor, page)
	return listingOf(list, projectOf, err)
}

func getProject(c *call) (projectBody, error) { return projectOf(*c.project), nil }

type projectSettings struct {
	Name              optional[string]   `json:"name"`
	PublicAPIEnabled  optional[bool]     `json:"publicApiEnabled"`
	AllowedOrigins    optional[[]string] `json:"allowedOrigins"`
	Locales           optional[[]string] `json:"locales"`
	DefaultLocale     clearable          `json:"defaultLocale"`
	Guidance          clearable          `json:"guidance"`
	RequiredApprovals optional[int]      `json:"requiredApprovals"`
	RequireChecksPass optional[bool]     `json:"requireChecksPass"`
}

func updateProject(c *call, in projectSettings) (projectBody, error) {
	p, err := schemadeploy.Configure(c.ctx(), c.server.Pool, c.actor, c.project.ID, project.Settings{
		Name: in.Name.value, PublicAPIEnabled: in.PublicAPIEnabled.value, AllowedOrigins: in.AllowedOrigins.value,
		Locales: in.Locales.value, DefaultLocale: in.DefaultLocale.text, Guidance: in.Guidance.text,
		RequiredApprovals: in.RequiredApprovals.value, RequireChecksPass: in.RequireChecksPass.value,
	})
	if err != nil {
		return projectBody{}, err
	}
	return projectOf(*p), nil
}

func deleteProject(c *call) (none, error) {
	if err := project.Delete(c.ctx(), c.server.Pool, c.actor, c.project.ID); err != nil {
		return none{}, err
	}
	return none{}, nil
}
