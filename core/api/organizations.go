package api

import (
	"time"

	"svc/core/account"
	"svc/shared/content"
)

type organizationBody struct {
	ID        content.OrganizationID `json:"id"`
	Slug      string                 `json:"slug"`
	Name      string                 `json:"name"`
	CreatedAt stamp                  `json:"createdAt"`
}

func organizationOf(o account.Organization) organizationBody {
	return organizationBody{o.ID, o.Slug, o.Name, stamp(o.CreatedAt)}
}

type newOrganization struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// foundedBody is a new organization and the first key to it, whose secret is shown this once.
type foundedBody struct {
	organizationBody
	Key    keyBody `json:"key"`
	Secret string  `json:"secret"`
}

func createOrganization(c *call, in newOrganization) (foundedBody, error) {
	made, err := account.CreateOrganization(c.ctx(), c.server.Pool, c.actor, account.NewOrganization{Slug: in.Slug, Name: in.Name}, "first key")
	if err != nil {
		return foundedBody{}, err
	}
	return foundedBody{organizationOf(made.Organization), keyOf(made.Key), made.Secret}, nil
}

func listOrganizations(c *call) (listing[organizationBody], error) {
	page, err := c.page()
	if err != nil {
		return listing[organizationBody]{}, err
	}
	list, err := account.ListOrganizations(c.ctx(), c.server.Pool, c.actor, page)
	return listingOf(list, organizationOf, err)
}

func getOrganization(c *call) (organizationBody, error) { return organizationOf(*c.organization), nil }

type organizationEdit struct {
	Slug optional[string] `json:"slug"`
	Name optional[string] `json:"name"`
}

func updateOrganization(c *call, in organizationEdit) (organizationBody, error) {
	org, err := account.UpdateOrganization(c.ctx(), c.server.Pool, c.actor, c.organization.ID, account.OrganizationEdit{Slug: in.Slug.value, Name: in.Name.value})
	if err != nil {
		return organizationBody{}, err
	}
	return organizationOf(*org), nil
}

func deleteOrganization(c *call) (none, error) {
	if err := account.DeleteOrganization(c.ctx(), c.server.Pool, c.actor, c.organization.ID); err != nil {
		return none{}, err
	}
	return none{}, nil
}

// stamp is a time as the interface writes it: RFC 3339 in UTC with milliseconds. The zero time is null.
type stamp time.Time

func (s stamp) MarshalJSON() ([]byte, error) {
	if time.Time(s).IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + content.FormatTime(time.Time(s)) + `"`), nil
}
