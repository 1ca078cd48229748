package api

import (
	"svc/core/access"
	"svc/core/account"
	"svc/shared/content"
	"svc/shared/credential"
)

type whoamiBody struct {
	Type         access.ActorType   `json:"type"`
	ID           string             `json:"id"`
	Label        string             `json:"label"`
	Organization organizationBody   `json:"organization"`
	Project      *content.ProjectID `json:"projectId"`
	Scopes       []credential.Scope `json:"scopes"`
	Collections  []string           `json:"collections"`
	ExpiresAt    stamp              `json:"expiresAt"`
}

// whoami identifies the credential (interface, "Authentication and account routes").
func whoami(c *call) (whoamiBody, error) {
	org, err := account.GetOrganization(c.ctx(), c.server.Pool, string(c.actor.Organization))
	if err != nil {
		return whoamiBody{}, err
	}
	g := c.actor.Grant
	return whoamiBody{c.actor.Type, c.actor.ID, c.actor.Label, organizationOf(*org), orNull(g.Project), g.Scopes, g.Collections, stamp(g.ExpiresAt)}, nil
}
