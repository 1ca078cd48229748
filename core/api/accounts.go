package api

import (
	"fmt"
	"time"

	"svc/core/account"
	"svc/core/metering"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/core/wire"
	"svc/replication/usage"
	"svc/shared/content"
	"svc/shared/fault"
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

func organizationOf(o account.Organization) wire.Organization {
	return wire.Organization{ID: o.ID, Slug: o.Slug, Name: o.Name, CreatedAt: wire.Time{Time: o.CreatedAt}}
}

func createOrganization(c *call, in wire.NewOrganization) (wire.FoundedOrganization, error) {
	return as(func(made account.Founded) wire.FoundedOrganization {
		return wire.FoundedOrganization{Organization: organizationOf(made.Organization), Key: keyOf(made.Key), Secret: made.Secret}
	})(account.CreateOrganization(c.ctx(), c.server.Pool, c.actor, account.NewOrganization(in), "first key"))
}

func listOrganizations(c *call) (wire.List[wire.Organization], error) {
	return pageOf(organizationOf)(account.ListOrganizations(c.ctx(), c.server.Pool, c.actor, c.page()))
}

func getOrganization(c *call) (wire.Organization, error) { return organizationOf(*c.organization), nil }

func updateOrganization(c *call, in wire.OrganizationEdit) (wire.Organization, error) {
	return ofPointer(organizationOf)(account.UpdateOrganization(c.ctx(), c.server.Pool, c.actor, c.organization.ID, account.OrganizationEdit{Slug: in.Slug.Value, Name: in.Name.Value}))
}

func deleteOrganization(c *call) (none, error) {
	return none{}, account.DeleteOrganization(c.ctx(), c.server.Pool, c.actor, c.organization.ID)
}

// showUsage shows this month beside the soft limit of the plan, which no read is refused for (contract, "Limits").
func showUsage(c *call) (out wire.Usage, err error) {
	now, meter := time.Now().UTC(), usage.PublicAPIRequests
	first, last, err := metering.Range(c.query.Get("from"), c.query.Get("to"), now)
	if err != nil {
		return out, err
	}
	total, err := metering.Month(c.ctx(), c.server.Pool, c.organization.ID, meter, now)
	if err != nil {
		return out, err
	}
	month := wire.UsageMonth{Meter: string(meter), Total: total}
	if limit, limited := c.organization.Plan.MonthlyReads(); limited {
		month.SoftLimit = &limit
		if month.Exceeded = total > limit; month.Exceeded {
			month.Notice = new(fmt.Sprintf("The organization is beyond the %d public reads a month of the plan %s. They are still answered: ask the operator of the service for a larger plan.", limit, c.organization.Plan))
		}
	}
	days, err := metering.Days(c.ctx(), c.server.Pool, c.organization.ID, first, last)
	out = wire.Usage{Plan: string(c.organization.Plan), Month: now.Format("2006-01"), Meters: []wire.UsageMonth{month}, Days: make([]wire.UsageDay, len(days))}
	for i, d := range days {
		out.Days[i] = wire.UsageDay{Day: d.Day.Format(time.DateOnly), Meter: string(d.Meter), Total: d.Total}
	}
	return out, err
}

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
	org, project := c.keyOwner()
	return pageOf(keyOf)(account.ListKeys(c.ctx(), c.server.Pool, org, project, c.page()))
}

func revokeKey(c *call) (wire.Key, error) {
	org, project := c.keyOwner()
	return as(keyOf)(account.RevokeKey(c.ctx(), c.server.Pool, c.actor, org, project, c.param("key")))
}

func (c *call) keyOwner() (content.OrganizationID, content.ProjectID) {
	if c.project != nil {
		return c.project.Organization, c.project.ID
	}
	return c.organization.ID, ""
}

func projectOf(p project.Project) wire.Project {
	return wire.Project{
		ID: p.ID, Organization: p.Organization, Slug: p.Slug, Name: p.Name, PublicAPIEnabled: p.PublicAPIEnabled,
		AllowedOrigins: p.AllowedOrigins, Locales: p.Locales, DefaultLocale: orNull(p.DefaultLocale),
		Guidance: orNull(p.Guidance), RequiredApprovals: p.RequiredApprovals, RequireChecksPass: p.RequireChecksPass,
		Pin: pinOf(p), CreatedAt: wire.Time{Time: p.CreatedAt}, UpdatedAt: wire.Time{Time: p.UpdatedAt},
	}
}

func createProject(c *call, in wire.NewProject) (wire.Project, error) {
	return ofPointer(projectOf)(project.Create(c.ctx(), c.server.Pool, c.actor, c.organization.ID, project.NewProject(in)))
}

func listProjects(c *call) (wire.List[wire.Project], error) {
	return pageOf(projectOf)(project.List(c.ctx(), c.server.Pool, c.actor, c.page()))
}

func getProject(c *call) (wire.Project, error) { return projectOf(*c.project), nil }

func updateProject(c *call, in wire.ProjectSettings) (wire.Project, error) {
	return ofPointer(projectOf)(schemadeploy.Configure(c.ctx(), c.server.Pool, c.actor, c.project.ID, project.Settings{
		Name: in.Name.Value, PublicAPIEnabled: in.PublicAPIEnabled.Value, AllowedOrigins: in.AllowedOrigins.Value,
		Locales: in.Locales.Value, DefaultLocale: in.DefaultLocale.Text, Guidance: in.Guidance.Text,
		RequiredApprovals: in.RequiredApprovals.Value, RequireChecksPass: in.RequireChecksPass.Value,
	}))
}

func deleteProject(c *call) (none, error) {
	return none{}, project.Delete(c.ctx(), c.server.Pool, c.actor, c.project.ID)
}

// pinOf is nil where a project is not pinned.
func pinOf(p project.Project) *wire.Pin {
	if p.PinnedRelease == 0 || p.PinnedAt == nil {
		return nil
	}
	return &wire.Pin{Release: p.PinnedRelease, Reason: orNull(p.PinReason), PinnedBy: orNull(p.PinnedBy), PinnedAt: wire.Time{Time: *p.PinnedAt}}
}

// getPin answers {data: null} where the project is not pinned.
func getPin(c *call) (*wire.Pin, error) { return pinOf(*c.project), nil }

// putPin and deletePin honour Prefer: wait as publishing does, so that a caller can know when no edge answers otherwise.
func putPin(c *call, in wire.NewPin) (*wire.Pin, error) {
	if in.Release == nil {
		return nil, fault.Invalid("release", "is missing: give the number of the release that reads are to answer")
	}
	p, err := project.Pin(c.ctx(), c.server.Pool, c.actor, c.project.ID, *in.Release, in.Reason)
	if err != nil {
		return nil, err
	}
	c.awaitHead(string(c.project.ID))
	return pinOf(*p), nil
}

// deletePin answers 204 also where there was no pin: what was asked for is so.
func deletePin(c *call) (none, error) {
	if _, err := project.Unpin(c.ctx(), c.server.Pool, c.actor, c.project.ID); err != nil {
		return none{}, err
	}
	c.awaitHead(string(c.project.ID))
	return none{}, nil
}
