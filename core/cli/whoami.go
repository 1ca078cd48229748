package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/content"
)

// identity is who a credential stands for.
type identity struct {
	Type         string       `json:"type"`
	ID           string       `json:"id"`
	Label        string       `json:"label"`
	Organization organization `json:"organization"`
	ProjectID    *string      `json:"projectId"`
	Scopes       []string     `json:"scopes"`
	Collections  []string     `json:"collections"`
	ExpiresAt    *string      `json:"expiresAt"`
}

type organization struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

func (a *app) whoamiCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Show who the credential stands for",
		Long:  "Show who the credential stands for and what it may do, as the service says. A credential that is missing or not\nvalid exits with 3.",
	}
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		who, err := a.whoami(ctx)
		if err != nil {
			return err
		}
		if o := a.settings.organization; o.set() && o.value != who.Organization.ID && o.value != who.Organization.Slug {
			a.warn("the credential is of the organization %s, not of %s, which %s names", who.Organization.Slug, o.value, a.shownSource(o.from))
		}
		return a.answer(who, func(p *page) { who.show(p) })
	})
}

func (a *app) whoami(ctx context.Context) (identity, error) {
	c, err := a.connect(ordinary)
	if err != nil {
		return identity{}, err
	}
	who, err := ask(a, "asking who this is", func() (client.Identity, error) { return c.Whoami(ctx) })
	if err != nil {
		return identity{}, err
	}
	out := identity{
		Type: who.Type, ID: who.ID, Label: who.Label, Organization: organization(who.Organization),
		ProjectID: who.ProjectID, Scopes: who.Scopes, Collections: who.Collections,
	}
	if who.ExpiresAt != nil {
		out.ExpiresAt = orNull(content.FormatTime(*who.ExpiresAt))
	}
	return out, nil
}

func (i identity) show(p *page) {
	project, collections, expires := "every project", "every collection", "never"
	if i.ProjectID != nil {
		project = *i.ProjectID
	}
	if len(i.Collections) > 0 {
		collections = strings.Join(i.Collections, ", ")
	}
	if i.ExpiresAt != nil {
		expires = *i.ExpiresAt
	}
	p.facts(
		[2]string{strings.ReplaceAll(i.Type, "_", " "), i.Label + " (" + i.ID + ")"},
		[2]string{"organization", i.Organization.Slug + ", " + i.Organization.Name + " (" + i.Organization.ID + ")"},
		[2]string{"project", project},
		[2]string{"collections", collections},
		[2]string{"scopes", strings.Join(i.Scopes, ", ")},
		[2]string{"expires", expires},
	)
}
