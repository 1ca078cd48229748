package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
)

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
