package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Key is an API key, without its secret.
type Key struct {
	ID       string `json:"id"`
	PublicID string `json:"publicId"`
	Label    string `json:"label"`
}

// NewKey asks for a key; an empty project makes one for the whole organization.
type NewKey struct {
	Label       string     `json:"label"`
	Scopes      []string   `json:"scopes"`
	Collections []string   `json:"collections,omitempty"`
	ExpiresAt   *time.Time `json:"expiresAt,omitempty"`
}

// MintedKey is a key with its secret, which is shown this once.
type MintedKey struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret"`
}

// MintProjectKey makes a key that is confined to a project.
func (c *Client) MintProjectKey(ctx context.Context, project string, in NewKey) (MintedKey, error) {
	return bare[MintedKey](ctx, c, http.MethodPost, projectPath(project, "api-keys"), in)
}

// RevokeProjectKey ends a project's key.
func (c *Client) RevokeProjectKey(ctx context.Context, project, key string) error {
	return c.call(ctx, http.MethodDelete, projectPath(project, "api-keys", key), nil, nil)
}

// MintOrganizationKey makes a key for every project of an organization.
func (c *Client) MintOrganizationKey(ctx context.Context, organization string, in NewKey) (MintedKey, error) {
	return bare[MintedKey](ctx, c, http.MethodPost, "/v1/organizations/"+url.PathEscape(organization)+"/api-keys", in)
}

// RevokeOrganizationKey ends an organization's key.
func (c *Client) RevokeOrganizationKey(ctx context.Context, organization, key string) error {
	return c.call(ctx, http.MethodDelete, "/v1/organizations/"+url.PathEscape(organization)+"/api-keys/"+url.PathEscape(key), nil, nil)
}
