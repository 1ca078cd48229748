package inprocess

import (
	"svc/core/client"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/credential"
)

type mintedKey struct {
	id    string
	text  string
	grant credential.Grant
}

// mint makes a key, of the project or of its organization, confined or not, that may read or not.
func (p *play) mint() error {
	in := wire.NewKey{Label: "model", Scopes: []credential.Scope{pick(p, []credential.Scope{credential.ContentRead, credential.ContentRead, credential.ContentWrite})}}
	if p.random.IntN(2) == 0 {
		in.Collections = []string{pick(p, p.deployed()).name}
	}
	whole := p.random.IntN(2) == 0
	var made wire.MintedKey
	err := p.do(p.ctx, func(c *client.Client) (err error) {
		if whole {
			made, err = c.MintOrganizationKey(p.ctx, string(p.project.Organization), in)
			return err
		}
		made, err = c.MintProjectKey(p.ctx, p.project.Slug, in)
		return err
	})
	if err != nil {
		return err
	}
	secret, err := credential.Parse(made.Secret)
	if err != nil {
		return err
	}
	g := credential.Grant{
		Key: content.KeyID(made.Key.ID), PublicID: made.Key.PublicID, Hash: secret.Hash(), Organization: p.settings.Organization,
		Scopes: []credential.Scope{credential.Scope(in.Scopes[0])}, Collections: in.Collections,
	}
	if !whole {
		g.Project = p.settings.ID
	}
	p.keys = append(p.keys, mintedKey{string(made.Key.ID), made.Secret, g})
	return p.model.PutKey(p.ctx, g)
}

// revoke ends a key.
func (p *play) revoke() error {
	if len(p.keys) == 0 {
		return p.mint()
	}
	k := &p.keys[p.random.IntN(len(p.keys))]
	err := p.do(p.ctx, func(c *client.Client) error {
		return c.RevokeOrganizationKey(p.ctx, string(p.project.Organization), k.id)
	})
	if err != nil {
		return err
	}
	k.grant.Revoked = true
	return p.model.PutKey(p.ctx, k.grant)
}
