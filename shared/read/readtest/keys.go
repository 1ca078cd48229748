package readtest

import (
	"context"
	"strings"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/problem"
)

// ring holds keys of organization 1 by name: one that reads everything, one that reads posts alone, and one that reads nothing.
type ring struct{}

var grants = map[string]credential.Grant{
	"all":   {Scopes: []credential.Scope{credential.ContentRead}},
	"posts": {Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{"posts"}},
	"write": {Scopes: []credential.Scope{credential.ContentWrite}},
}

// Grant implements read.Keys.
func (ring) Grant(_ context.Context, publicID string) (*credential.Grant, error) {
	for name, g := range grants {
		if s := secret(name); s.PublicID == publicID {
			g.Key, g.PublicID, g.Hash, g.Organization = id[content.KeyID](1), publicID, s.Hash(), Organization(1)
			return &g, nil
		}
	}
	return nil, nil
}

func bearer(name string) []problem.Header {
	return []problem.Header{{Name: "authorization", Value: "Bearer " + secret(name).Text()}}
}

// grantOf is what the key of a read may do; nil without one.
func grantOf(authorization string) *credential.Grant {
	for name, g := range grants {
		if strings.HasSuffix(authorization, secret(name).Text()) {
			return &g
		}
	}
	return nil
}
