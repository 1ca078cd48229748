package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
)

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
		if o := a.settings.organization; o.set() && o.value != string(who.Organization.ID) && o.value != who.Organization.Slug {
			a.warn("the credential is of the organization %s, not of %s, which %s names", who.Organization.Slug, o.value, a.shownSource(o.from))
		}
		return a.answer(who, func(p *page) { p.showIdentity(who) })
	})
}

func (a *app) whoami(ctx context.Context) (who wire.Identity, err error) {
	c, err := a.connect(ordinary)
	if err != nil {
		return who, err
	}
	err = a.during(ctx, "asking who this is", nil, func(ctx context.Context) (err error) {
		who, err = c.Whoami(ctx)
		return err
	})
	return who, err
}

func (p *page) showIdentity(i wire.Identity) {
	project, collections, expires := "every project", "every collection", "never"
	if i.Project != nil {
		project = string(*i.Project)
	}
	if len(i.Collections) > 0 {
		collections = strings.Join(i.Collections, ", ")
	}
	if at := i.ExpiresAt.String(); at != "" {
		expires = at
	}
	var scopes []string
	for _, s := range i.Scopes {
		scopes = append(scopes, string(s))
	}
	p.facts(
		[2]string{strings.ReplaceAll(i.Type, "_", " "), i.Label + " (" + i.ID + ")"},
		[2]string{"organization", i.Organization.Slug + ", " + i.Organization.Name + " (" + string(i.Organization.ID) + ")"},
		[2]string{"project", project},
		[2]string{"collections", collections},
		[2]string{"scopes", strings.Join(scopes, ", ")},
		[2]string{"expires", expires},
	)
}
