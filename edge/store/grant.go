package store

import (
	"context"

	"google.golang.org/protobuf/proto"

	"svc/edge/store/layout"
	"svc/replication/record"
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
	value, err := s.get(layout.Global.Text(nil, layout.TablePublicKey, publicID))
	if err != nil || value == nil {
		return nil, fault.Wrap(err, "look up a key")
	}
	f := layout.Decoder{Rest: value}
	organization := content.OrganizationID(f.Bytes())
	var key recordpb.Key
	if err := f.Err("key"); err != nil {
		return nil, fault.Wrap(err, "look up a key")
	}
	if err := proto.Unmarshal(f.Rest, &key); err != nil {
		return nil, fault.Wrap(err, "read a key")
	}
	grant, err := record.GrantOf(organization, &key)
	return grant, fault.Wrap(err, "read a key")
}
