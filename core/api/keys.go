package api

import (
	"time"

	"svc/core/account"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

type keyBody struct {
	ID          content.KeyID      `json:"id"`
	PublicID    string             `json:"publicId"`
	Label       string             `json:"label"`
	Project     *content.ProjectID `json:"projectId"`
	Scopes      []credential.Scope `json:"scopes"`
	Collections []string           `json:"collections"`
	CreatedBy   *string            `json:"createdBy"`
	CreatedAt   stamp              `json:"createdAt"`
	ExpiresAt   stamp              `json:"expiresAt"`
	RevokedAt   stamp              `json:"revokedAt"`
	LastUsedAt  stamp              `json:"lastUsedAt"`
}

func keyOf(k account.Key) keyBody {
	return keyBody{
		ID: k.ID, PublicID: k.PublicID, Label: k.Label, Project: orNull(k.Project), Scopes: k.Scopes,
		Collections: k.Collections, CreatedBy: orNull(k.CreatedBy), CreatedAt: stamp(k.CreatedAt),
		ExpiresAt: stamp(k.ExpiresAt), RevokedAt: stamp(k.RevokedAt), LastUsedAt: stamp(k.LastUsedAt),
	}
}

type newKey struct {
	Label       string             `json:"label"`
	Scopes      []credential.Scope `json:"scopes"`
	ExpiresAt   *time.Time         `json:"expiresAt"`
	Collections []string           `json:"collections"`
}

// mintedBody is a new key with its secret, which is shown this once.
type mintedBody struct {
	Key    keyBody `json:"key"`
	Secret string  `json:"secret"`
}

// mintKey serves both mint routes: the key is confined to the project where the path names one.
func mintKey(c *call, in newKey) (mintedBody, error) {
	if in.ExpiresAt != nil && in.ExpiresAt.IsZero() { // the zero time stands for never further on
		return mintedBody{}, fault.Invalid("expiresAt", "must lie in the future")
	}
	ask := account.NewKey{Label: in.Label, Scopes: in.Scopes, Collections: in.Collections, ExpiresAt: deref(in.ExpiresAt)}
	ask.Organization, ask.Project = c.keyOwner()
	key, secret, err := account.MintKey(c.ctx(), c.server.Pool, c.actor, ask)
	if err != nil {
		return mintedBody{}, err
	}
	return mintedBody{keyOf(key), secret}, nil
}

func listKeys(c *call) (listing[keyBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[keyBody]{}, err
	}
	org, project := c.keyOwner()
	list, err := account.ListKeys(c.ctx(), c.server.Pool, org, project, page)
	return listingOf(list, keyOf, err)
}

func revokeKey(c *call) (keyBody, error) {
	org, project := c.keyOwner()
	key, err := account.RevokeKey(c.ctx(), c.server.Pool, c.actor, org, project, c.param("key"))
	if err != nil {
		return keyBody{}, err
	}
	return keyOf(key), nil
}

func (c *call) keyOwner() (content.OrganizationID, content.ProjectID) {
	if c.project != nil {
		return c.project.Organization, c.project.ID
	}
	return c.organization.ID, ""
}

func orNull[T ~string](v T) *T {
	if v == "" {
		return nil
	}
	return &v
}
