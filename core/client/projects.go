package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Organization owns projects and keys.
type Organization struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Project is a project with the settings that clients of this package use.
type Project struct {
	ID               string   `json:"id"`
	OrganizationID   string   `json:"organizationId"`
	Slug             string   `json:"slug"`
	Name             string   `json:"name"`
	PublicAPIEnabled bool     `json:"publicApiEnabled"`
	Locales          []string `json:"locales"`
	DefaultLocale    *string  `json:"defaultLocale"`
	Pin              *Pin     `json:"pin"` // nil: reads answer the newest release
}

// Identity is who a credential stands for.
type Identity struct {
	Type         string       `json:"type"`
	ID           string       `json:"id"`
	Label        string       `json:"label"`
	Organization Organization `json:"organization"`
	ProjectID    *string      `json:"projectId"`
	Scopes       []string     `json:"scopes"`
	Collections  []string     `json:"collections"`
	ExpiresAt    *time.Time   `json:"expiresAt"`
}

// Whoami identifies the credential.
func (c *Client) Whoami(ctx context.Context) (Identity, error) {
	return one[Identity](ctx, c, http.MethodGet, "/v1/auth/whoami", nil)
}

// Organizations lists the organizations of the credential.
func (c *Client) Organizations(ctx context.Context) ([]Organization, error) {
	return all[Organization](ctx, c, "/v1/organizations", nil)
}

// CreateProject makes a project in an organization.
func (c *Client) CreateProject(ctx context.Context, organization, name, slug string) (Project, error) {
	in := map[string]string{"name": name, "slug": slug}
	return one[Project](ctx, c, http.MethodPost, "/v1/organizations/"+url.PathEscape(organization)+"/projects", in)
}

// Project reads a project by id or slug.
func (c *Client) Project(ctx context.Context, project string) (Project, error) {
	return one[Project](ctx, c, http.MethodGet, projectPath(project), nil)
}

// UpdateProject changes the named settings.
func (c *Client) UpdateProject(ctx context.Context, project string, settings map[string]any) (Project, error) {
	return one[Project](ctx, c, http.MethodPatch, projectPath(project), settings)
}
