package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"svc/core/wire"
)

// Whoami identifies the credential.
func (c *Client) Whoami(ctx context.Context) (wire.Identity, error) {
	return one[wire.Identity](ctx, c, http.MethodGet, "/v1/auth/whoami", nil)
}

// Organizations lists the organizations of the credential.
func (c *Client) Organizations(ctx context.Context) ([]wire.Organization, error) {
	return all[wire.Organization](ctx, c, "/v1/organizations", nil)
}

// CreateProject makes a project in an organization.
func (c *Client) CreateProject(ctx context.Context, organization, name, slug string) (wire.Project, error) {
	in := map[string]string{"name": name, "slug": slug}
	return one[wire.Project](ctx, c, http.MethodPost, "/v1/organizations/"+url.PathEscape(organization)+"/projects", in)
}

// Project reads a project by id or slug.
func (c *Client) Project(ctx context.Context, project string) (wire.Project, error) {
	return one[wire.Project](ctx, c, http.MethodGet, projectPath(project), nil)
}

// UpdateProject changes the named settings.
func (c *Client) UpdateProject(ctx context.Context, project string, settings map[string]any) (wire.Project, error) {
	return one[wire.Project](ctx, c, http.MethodPatch, projectPath(project), settings)
}

// PinRelease has reads of a project answer a release, as PublishEverywhere does for publishing: everywhere tells whether
// every edge that holds the project has the pin. A wait of less than a second does not wait.
func (c *Client) PinRelease(ctx context.Context, project string, release uint64, reason string, wait time.Duration) (wire.Pin, bool, error) {
	var out wire.Envelope[wire.Pin]
	in := wire.NewPin{Release: &release, Reason: reason}
	everywhere, err := c.everywhere(ctx, http.MethodPut, projectPath(project, "pin"), wait, in, &out)
	return out.Data, everywhere, err
}

// Unpin has reads of a project answer its newest release again. A project that is not pinned stays as it is.
func (c *Client) Unpin(ctx context.Context, project string, wait time.Duration) (everywhere bool, err error) {
	return c.everywhere(ctx, http.MethodDelete, projectPath(project, "pin"), wait, nil, nil)
}
