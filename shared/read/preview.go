package read

import (
	"context"
	"strings"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/query"
)

// Previews looks up preview tokens, and opens what they show.
type Previews interface {
	// Preview returns the stored token of a public id, or nil where there is none. It does not verify the secret.
	Preview(ctx context.Context, publicID string) (*Preview, error)
	// View returns what the token shows of the project that a view is of; at the head, and as long as that view is open. Where the
	// change set was closed, the fault is AUTHENTICATION_REQUIRED.
	View(ctx context.Context, of View, p *Preview) (View, error)
}

// Preview is a stored preview token. Its grant has content:read where it opens private collections.
type Preview struct {
	credential.Grant
	ID        content.PreviewID
	ChangeSet content.ChangeSetID
	Entry     content.EntryID // the only one whose draft it shows; empty: those of all that the set stages
}

// ResolvePath is where clients of previews find out what a token shows.
const ResolvePath = "/v1/previews/resolve"

// ResolveHeaders are what every answer at ResolvePath carries: pages of every origin may read it, and no search engine lists it. With
// those of OPTIONS, 204 is the preflight.
func ResolveHeaders(method string) []problem.Header {
	headers := append(ForEveryOrigin(method), problem.Header{Name: "X-Robots-Tag", Value: robots})
	if method != "OPTIONS" {
		return headers
	}
	return append(headers, problem.Header{Name: "Allow", Value: allowedMethods},
		problem.Header{Name: "Access-Control-Allow-Methods", Value: allowedMethods},
		problem.Header{Name: "Access-Control-Allow-Headers", Value: "authorization"},
		problem.Header{Name: "Access-Control-Max-Age", Value: preflightAge})
}

// hasPreviewToken reports whether a request carries a preview token, whatever it is worth.
func (r *Request) hasPreviewToken(q *query.Query) bool {
	return q.Preview != "" || strings.Contains(r.Authorization, "svc_"+string(credential.PreviewToken)+"_")
}

// Preview verifies a preview token: AUTHENTICATION_REQUIRED for one that is malformed, unknown, expired or revoked.
func (e *Engine) Preview(ctx context.Context, token string) (*Preview, error) {
	secret, err := credential.Parse(token)
	if err != nil {
		return nil, err
	}
	if secret.Kind != credential.PreviewToken {
		return nil, fault.New(fault.AuthenticationRequired, "a preview token begins with svc_prv_; this is a credential of the kind %q", secret.Kind)
	}
	var p *Preview
	if e.Previews != nil {
		if p, err = e.Previews.Preview(ctx, secret.PublicID); err != nil {
			return nil, fault.Wrap(err, "looking up a preview token")
		}
	}
	var grant *credential.Grant
	if p != nil {
		grant = &p.Grant
	}
	return p, verify(secret, grant, "preview token", e.Now())
}

// PreviewToken returns the preview token of a request: that of the Authorization header or the one in the query; empty without any.
func PreviewToken(authorization, inQuery string) (string, error) {
	secret, _, err := credential.Bearer(authorization)
	switch {
	case err != nil || secret.Kind != credential.PreviewToken:
		return inQuery, err
	case inQuery != "" && inQuery != secret.Text():
		return "", fault.Invalid("preview", "is another preview token than that of the Authorization header; give one of them")
	}
	return secret.Text(), nil
}

// identifyPreview reads on from the view that the request's preview token shows, and with its rights.
func (x *exchange) identifyPreview(ctx context.Context) error {
	token, err := PreviewToken(x.req.Authorization, x.query.Preview)
	if err != nil {
		return err
	}
	p, err := x.Preview(ctx, token)
	if err != nil {
		return err
	}
	if err := x.take(&p.Grant); err != nil {
		return err
	}
	shown, err := x.Previews.View(ctx, x.view, p)
	if err != nil {
		return fault.Wrap(err, "opening a preview")
	}
	x.view = shown
	return nil
}
