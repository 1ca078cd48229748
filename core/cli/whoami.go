package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/fault"
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

func (a *app) whoami(ctx context.Context) (wire.Identity, error) {
	if err := a.connect(ordinary); err != nil {
		return wire.Identity{}, err
	}
	return ask(a, "asking who this is", func() (wire.Identity, error) { return a.client.Whoami(ctx) })
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

// verified is whether there is a credential, and whether the service takes it. Valid is null where that could not
// be found out; Detail then says why.
type verified struct {
	Present bool    `json:"credentialPresent"`
	Valid   *bool   `json:"credentialValid"`
	Detail  *string `json:"detail"`
}

func (a *app) authCommand() *cobra.Command {
	return group(&cobra.Command{Use: "auth", Short: "Check the credential"}, a.verifyCommand())
}

func (a *app) verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Ask the service whether the credential is valid",
		Long: "Ask the service whether the credential is valid. The answer is in the output alone: the exit code is always 0. With\n" +
			"--json, credentialValid is null where it could not be found out, and detail says why.",
	}
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		v := a.verify(ctx)
		return a.answer(v, v.show)
	})
}

func (a *app) verify(ctx context.Context) verified {
	_, err := a.whoami(ctx)
	v := verified{Present: a.settings.token.set()}
	valid := err == nil
	if err == nil {
		v.Valid = &valid
		return v
	}
	f := a.explain(err)
	v.Detail = &f.Detail
	if !v.Present || f.Code == string(fault.AuthenticationRequired) {
		v.Valid = &valid
	}
	return v
}

func (v verified) show(p *page) {
	detail := ""
	if v.Detail != nil {
		detail = ": " + *v.Detail
	}
	switch {
	case v.Valid == nil:
		p.line("%s whether the credential is valid%s", p.paint(yellow, "It could not be found out"), detail)
	case *v.Valid:
		p.line("The credential is %s.", p.paint(green, "valid"))
	case v.Present:
		p.line("The credential is %s%s", p.paint(red, "not valid"), detail)
	default:
		p.line("There is %s.", p.paint(red, "no credential"))
	}
}
