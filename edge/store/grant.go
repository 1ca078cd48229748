package store

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// Grant returns what the key of this public id allows, revoked and expired keys included, and nil where the store
// knows none. It implements read.Keys.
func (s *Store) Grant(ctx context.Context, publicID string) (*credential.Grant, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.exit()
	value, err := s.get(global.text(nil, tablePublic, publicID))
	if err != nil || value == nil {
		return nil, fault.Wrap(err, "look up a key")
	}
	f := fields{b: value}
	organization := string(f.bytes())
	var key recordpb.Key
	if err := f.err("key"); err != nil {
		return nil, fault.Wrap(err, "look up a key")
	}
	if err := proto.Unmarshal(f.b, &key); err != nil {
		return nil, fault.Wrap(err, "read a key")
	}
	return grantOf(organization, &key)
}

func grantOf(organization string, key *recordpb.Key) (*credential.Grant, error) {
	g := &credential.Grant{
		Key:          content.KeyID(key.Id),
		PublicID:     key.PublicId,
		Organization: content.OrganizationID(organization),
		Project:      content.ProjectID(key.Project),
		Collections:  key.Collections,
		Revoked:      key.Revoked,
	}
	if len(key.Hash) != len(g.Hash) {
		return nil, fault.Wrap(damaged("key"), "look up a key")
	}
	copy(g.Hash[:], key.Hash)
	for _, scope := range key.Scopes {
		g.Scopes = append(g.Scopes, credential.Scope(scope))
	}
	if key.ExpiresMs != 0 {
		g.ExpiresAt = time.UnixMilli(key.ExpiresMs).UTC()
	}
	return g, nil
}
