package api

import (
	"svc/core/account"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
)

func keyOf(k account.Key) wire.Key {
	return wire.Key{
		ID: k.ID, PublicID: k.PublicID, Label: k.Label, Project: orNull(k.Project), Scopes: k.Scopes,
		Collections: k.Collections, CreatedBy: orNull(k.CreatedBy), CreatedAt: wire.Time{Time: k.CreatedAt},
		ExpiresAt: wire.Time{Time: k.ExpiresAt}, RevokedAt: wire.Time{Time: k.RevokedAt}, LastUsedAt: wire.Time{Time: k.LastUsedAt},
	}
}

// mintKey serves both mint routes: the key is confined to the project where the path names one.
func mintKey(c *call, in wire.NewKey) (wire.MintedKey, error) {
	if in.ExpiresAt != nil && in.ExpiresAt.IsZero() { // the zero time stands for never further on
		return wire.MintedKey{}, fault.Invalid("expiresAt", "must lie in the future")
	}
	ask := account.NewKey{Label: in.Label, Scopes: in.Scopes, Collections: in.Collections, ExpiresAt: deref(in.ExpiresAt)}
	ask.Organization, ask.Project = c.keyOwner()
	key, secret, err := account.MintKey(c.ctx(), c.server.Pool, c.actor, ask)
	if err != nil {
		return wire.MintedKey{}, err
	}
	return wire.MintedKey{Key: keyOf(key), Secret: secret}, nil
}

func listKeys(c *call) (wire.List[wire.Key], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.Key]{}, err
	}
	org, project := c.keyOwner()
	list, err := account.ListKeys(c.ctx(), c.server.Pool, org, project, page)
	return listingOf(list, keyOf, err)
}

func revokeKey(c *call) (wire.Key, error) {
	org, project := c.keyOwner()
	key, err := account.RevokeKey(c.ctx(), c.server.Pool, c.actor, org, project, c.param("key"))
	if err != nil {
		return wire.Key{}, err
	}
	return keyOf(key), nil
}

func (c *call) keyOwner() (content.OrganizationID, content.ProjectID) {
	if c.project != nil {
		return c.project.Organization, c.project.ID
	}
	return c.organization.ID, ""
}
