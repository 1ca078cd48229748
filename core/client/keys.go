package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/core/wire"
)

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
