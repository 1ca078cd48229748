package api

import (
	"svc/core/access"
	"svc/core/account"
	"svc/shared/content"
	"svc/shared/credential"
)

// whoami identifies the credential (interface, "Authentication and account routes").
func whoami(c *call) (reply, error) {
	org, err := account.GetOrganization(c.ctx(), c.server.Pool, string(c.actor.Organization))
	if err != nil {
		return reply{}, err
	}
	g := c.actor.Grant
	return one(struct {
		Type         access.ActorType   `json:"type"`
		ID           string             `json:"id"`
		Label        string             `json:"label"`
		Organization organizationBody   `json:"organization"`
		Project      *content.ProjectID `json:"projectId"`
		Scopes       []credential.Scope `json:"scopes"`
		Collections  []string           `json:"collections"`
		ExpiresAt    stamp              `json:"expiresAt"`
	}{c.actor.Type, c.actor.ID, c.actor.Label, organizationOf(*org), orNull(g.Project), g.Scopes, g.Collections, stamp(g.ExpiresAt)}), nil
}
