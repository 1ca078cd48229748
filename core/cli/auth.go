package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/shared/fault"
)

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
	v.Detail = &f.detail
	if !v.Present || f.code == string(fault.AuthenticationRequired) {
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
