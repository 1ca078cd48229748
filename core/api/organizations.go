package api

import (
	"svc/core/account"
	"svc/core/wire"
)

func organizationOf(o account.Organization) wire.Organization {
	return wire.Organization{ID: o.ID, Slug: o.Slug, Name: o.Name, CreatedAt: wire.Time{Time: o.CreatedAt}}
}

func createOrganization(c *call, in wire.NewOrganization) (wire.FoundedOrganization, error) {
	made, err := account.CreateOrganization(c.ctx(), c.server.Pool, c.actor, account.NewOrganization{Slug: in.Slug, Name: in.Name}, "first key")
	if err != nil {
		return wire.FoundedOrganization{}, err
	}
	return wire.FoundedOrganization{Organization: organizationOf(made.Organization), Key: keyOf(made.Key), Secret: made.Secret}, nil
}

func listOrganizations(c *call) (wire.List[wire.Organization], error) {
	page, err := c.page()
	if err != nil {
		return wire.List[wire.Organization]{}, err
	}
	list, err := account.ListOrganizations(c.ctx(), c.server.Pool, c.actor, page)
	return listingOf(list, organizationOf, err)
}

func getOrganization(c *call) (wire.Organization, error) { return organizationOf(*c.organization), nil }

func updateOrganization(c *call, in wire.OrganizationEdit) (wire.Organization, error) {
	org, err := account.UpdateOrganization(c.ctx(), c.server.Pool, c.actor, c.organization.ID, account.OrganizationEdit{Slug: in.Slug.Value, Name: in.Name.Value})
	if err != nil {
		return wire.Organization{}, err
	}
	return organizationOf(*org), nil
}

func deleteOrganization(c *call) (none, error) {
	if err := account.DeleteOrganization(c.ctx(), c.server.Pool, c.actor, c.organization.ID); err != nil {
		return none{}, err
	}
	return none{}, nil
}
