package api

import (
	"svc/core/account"
	"svc/core/wire"
)

// whoami identifies the credential (interface, "Authentication and account routes").
func whoami(c *call) (wire.Identity, error) {
	org, err := account.GetOrganization(c.ctx(), c.server.Pool, string(c.actor.Organization))
	if err != nil {
		return wire.Identity{}, err
	}
	g := c.actor.Grant
	return wire.Identity{Type: string(c.actor.Type), ID: c.actor.ID, Label: c.actor.Label, Organization: organizationOf(*org), Project: orNull(g.Project), Scopes: g.Scopes, Collections: g.Collections, ExpiresAt: wire.Time{Time: g.ExpiresAt}}, nil
}
