package read

import (
	"context"
	"time"

	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/schema"
)

// authorise decides whether the caller may read what the path names (interface, "Access"): who presents a credential
// presents a good one, also where none is needed.
func (x *exchange) authorise(ctx context.Context) error {
	if x.project == nil && x.elsewhere() {
		return errForward
	}
	var err error
	x.undecided, err = x.identify(ctx)
	switch {
	case x.hidden() && x.undecided != nil:
		return x.undecided
	case x.hidden() && x.elsewhere():
		return errForward
	case err != nil:
		return err
	case x.hidden():
		return noProject()
	}
	if x.private = !x.project.PublicAPIEnabled; x.private {
		x.common() // by the project's list now
	}
	switch x.req.Route {
	case query.RouteCollections:
		if x.grant != nil && x.grant.Has(credential.SchemaRead) {
			return errForward // to the management view
		}
		return x.undecided
	case query.RouteLive:
		return x.undecided // what the stream shows depends on the key
	}
	return x.authoriseCollection()
}

func (x *exchange) authoriseCollection() error {
	c, found := x.view.Collection(x.req.Collection)
	if !found {
		return fault.New(fault.NotFound, "the project has no collection %q", query.Shorten(x.req.Collection))
	}
	x.collection = c
	scope := ScopeOf(c.Schema)
	if scope == "" {
		return nil
	}
	x.private = true
	switch {
	case x.undecided != nil:
		return x.undecided
	case x.grant == nil || !x.grant.Has(scope):
		return fault.New(fault.AuthenticationRequired, "the collection %q is private: reading it needs an API key with %s", c.Schema.Name, scope)
	case !x.grant.Covers(c.Schema.Name):
		return fault.New(fault.Forbidden, "the %s is confined to other collections than %q", x.shows(), c.Schema.Name)
	}
	return nil
}

// shows is what the caller's rights come from.
func (x *exchange) shows() string {
	if x.preview {
		return "preview token"
	}
	return "API key"
}

// ScopeOf is the scope that reading a collection takes: content:read where it is private, none where it is public.
func ScopeOf(c *schema.Collection) credential.Scope {
	if c.Visibility == schema.VisibilityPublic {
		return ""
	}
	return credential.ContentRead
}

// identify verifies the credentials, if there are any: a key, a preview token, or both. Undecided is the reason why no one can tell
// at the moment whether a key is good; only a read that needs the key fails for it.
func (x *exchange) identify(ctx context.Context) (undecided, err error) {
	secret, present, err := credential.Bearer(x.req.Authorization)
	switch {
	case err != nil:
		return nil, err
	case x.preview && !x.atCore():
		return nil, errForward
	case x.preview && x.query.At.Kind != query.AtHead:
		return nil, fault.Invalid("at", "cannot be combined with a preview token")
	}
	if present && secret.Kind != credential.PreviewToken {
		undecided, err = x.identifyKey(ctx, secret)
	}
	switch {
	case err != nil || !x.preview:
		return undecided, err
	case undecided != nil:
		return nil, undecided // or what is published would stand for what is previewed
	}
	return nil, x.identifyPreview(ctx)
}

func (x *exchange) identifyKey(ctx context.Context, secret credential.Secret) (undecided, err error) {
	if secret.Kind != credential.APIKey {
		return nil, fault.New(fault.AuthenticationRequired, "reads take an API key or a preview token, no credential of the kind %q", secret.Kind)
	}
	grant, err := x.Keys.Grant(ctx, secret.PublicID)
	if fault.Is(err, fault.Unavailable) {
		return err, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, "looking up an API key")
	}
	now := x.Now()
	if err := verify(secret, grant, "API key", now); err != nil {
		return nil, err
	}
	if x.Used != nil {
		x.Used(grant.Key, now)
	}
	return nil, x.take(grant)
}

// verify refuses a credential that is not the stored one, or no longer good. There may be no stored one.
func verify(secret credential.Secret, grant *credential.Grant, what string, now time.Time) error {
	stored := credential.Hash{}
	if grant != nil {
		stored = grant.Hash
	}
	// The comparison also runs for an unknown one, so that both take the same time.
	if matches := secret.Matches(stored); grant == nil || !matches {
		return fault.New(fault.AuthenticationRequired, "the %s is not valid", what)
	}
	if !grant.Live(now) {
		return fault.New(fault.AuthenticationRequired, "the %s has expired or was revoked", what)
	}
	return nil
}

// take reads with the rights of a grant that was verified.
func (x *exchange) take(grant *credential.Grant) error {
	if x.project == nil || !grant.Reaches(x.project.Organization, x.project.ID) {
		return noProject()
	}
	x.grant = grant
	return nil
}
