package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
)

// Whoami identifies the credential.
func (c *Client) Whoami(ctx context.Context) (wire.Identity, error) {
	return one[wire.Identity](ctx, c, http.MethodGet, "/v1/auth/whoami", nil)
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

// MintProjectKey makes a key that is confined to a project.
func (c *Client) MintProjectKey(ctx context.Context, project string, in wire.NewKey) (wire.MintedKey, error) {
	return bare[wire.MintedKey](ctx, c, http.MethodPost, projectPath(project, "api-keys"), in)
}

// RevokeProjectKey ends a project's key.
func (c *Client) RevokeProjectKey(ctx context.Context, project, key string) error {
	return c.call(ctx, http.MethodDelete, projectPath(project, "api-keys", key), nil, nil)
}

// MintOrganizationKey makes a key for every project of an organization.
func (c *Client) MintOrganizationKey(ctx context.Context, organization string, in wire.NewKey) (wire.MintedKey, error) {
	return bare[wire.MintedKey](ctx, c, http.MethodPost, "/v1/organizations/"+url.PathEscape(organization)+"/api-keys", in)
}

// RevokeOrganizationKey ends an organization's key.
func (c *Client) RevokeOrganizationKey(ctx context.Context, organization, key string) error {
	return c.call(ctx, http.MethodDelete, "/v1/organizations/"+url.PathEscape(organization)+"/api-keys/"+url.PathEscape(key), nil, nil)
}

// Cores lists the cores, the one that answers first.
func (c *Client) Cores(ctx context.Context) ([]wire.Core, error) {
	p, err := page[wire.Core](ctx, c, "/v1/cores", nil)
	return p.Items, err
}

// Edges lists the fleet with positions and lag.
func (c *Client) Edges(ctx context.Context) ([]wire.Edge, error) {
	p, err := page[wire.Edge](ctx, c, "/v1/edges", nil)
	return p.Items, err
}

// DiffSchema tells what pushing these collections would do.
func (c *Client) DiffSchema(ctx context.Context, project string, collections []jsontext.Value) (wire.Plan, error) {
	return bare[wire.Plan](ctx, c, http.MethodPost, projectPath(project, "schema", "diff"), wire.SchemaSet{Collections: collections})
}

// PushSchema deploys these collections, which are the whole set.
func (c *Client) PushSchema(ctx context.Context, project string, collections []jsontext.Value, allowDestructive bool, summary string) (wire.Plan, error) {
	in := wire.SchemaProposal{Collections: collections, AllowDestructive: allowDestructive, Summary: summary}
	return bare[wire.Plan](ctx, c, http.MethodPost, projectPath(project, "schema", "push"), in)
}

// Schema reads the set in force.
func (c *Client) Schema(ctx context.Context, project string) (wire.Schema, error) {
	return one[wire.Schema](ctx, c, http.MethodGet, projectPath(project, "schema"), nil)
}

// DriftSchema tells what promoting the schemas of another project would change in this one. Content does not count: the
// plan has no content errors and no versions.
func (c *Client) DriftSchema(ctx context.Context, project, against string) (wire.Drift, error) {
	return bare[wire.Drift](ctx, c, http.MethodGet, projectPath(project, "schema", "drift")+"?against="+url.QueryEscape(against), nil)
}

// PromoteSchema deploys the schemas that another project has in force.
func (c *Client) PromoteSchema(ctx context.Context, project, from string, allowDestructive bool) (wire.Plan, error) {
	in := wire.Promotion{FromProject: from, Confirm: true, AllowDestructive: allowDestructive}
	return bare[wire.Plan](ctx, c, http.MethodPost, projectPath(project, "schema", "promote"), in)
}

// Translations tells how far a collection is translated.
func (c *Client) Translations(ctx context.Context, project, collection string) (wire.Coverage, error) {
	return one[wire.Coverage](ctx, c, http.MethodGet, projectPath(project, "collections", collection, "translations"), nil)
}

// CollectionVersions reads all versions of a collection, newest first, also of one that was removed.
func (c *Client) CollectionVersions(ctx context.Context, project, collection string) ([]wire.CollectionVersion, error) {
	return all[wire.CollectionVersion](ctx, c, projectPath(project, "collections", collection, "versions"), nil)
}
