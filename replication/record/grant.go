package record

import (
	"fmt"
	"time"

	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
)

// KeyOf returns the record of what a key allows.
func KeyOf(g *credential.Grant) *recordpb.Key {
	k := &recordpb.Key{
		Id: string(g.Key), PublicId: g.PublicID, Hash: g.Hash[:], Project: string(g.Project), Collections: g.Collections,
		Revoked: g.Revoked,
	}
	for _, s := range g.Scopes {
		k.Scopes = append(k.Scopes, string(s))
	}
	if !g.ExpiresAt.IsZero() {
		k.ExpiresMs = g.ExpiresAt.UnixMilli()
	}
	return k
}

// GrantOf is the inverse of KeyOf; the organization is that of the log.
func GrantOf(organization content.OrganizationID, k *recordpb.Key) (*credential.Grant, error) {
	g := &credential.Grant{
		Key: content.KeyID(k.Id), PublicID: k.PublicId, Organization: organization, Project: content.ProjectID(k.Project),
		Collections: k.Collections, Revoked: k.Revoked,
	}
	if copy(g.Hash[:], k.Hash) != len(g.Hash) || len(k.Hash) != len(g.Hash) {
		return nil, fmt.Errorf("the hash of key %s has %d bytes", k.Id, len(k.Hash))
	}
	for _, s := range k.Scopes {
		g.Scopes = append(g.Scopes, credential.Scope(s))
	}
	if k.ExpiresMs != 0 {
		g.ExpiresAt = time.UnixMilli(k.ExpiresMs).UTC()
	}
	return g, nil
}
