package read_test

import (
	"testing"

	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// key makes a key of an organization and returns the header that shows it.
func (s *site) key(organization uint64, revoked bool, scope credential.Scope, collections ...string) string {
	s.Helper()
	secret := credential.Mint(credential.APIKey)
	if err := s.memory.PutKey(s.Context(), credential.Grant{
		Key: "key_1", PublicID: secret.PublicID, Hash: secret.Hash(), Organization: readtest.Organization(organization),
		Scopes: []credential.Scope{scope}, Collections: collections, Revoked: revoked,
	}); err != nil {
		s.Fatal(err)
	}
	return "Bearer " + secret.Text()
}

// TestLiveEventsAreOpenedAsReadsAre: an edge makes the head, core sends the reader to another edge, and both refuse alike.
func TestLiveEventsAreOpenedAsReadsAre(t *testing.T) {
	for name, c := range map[string]struct {
		ask        read.Request
		edge, core string
	}{
		"a stranger":                {read.Request{}, "ok 1 no-store, no-transform", "later 1 no-store 1"},
		"a stranger, of no project": {read.Request{Project: "none"}, "forward", "none no-store"},
		"a parameter":               {read.Request{RawQuery: "collection=posts"}, "invalid 1 no-store", "invalid 1 no-store"},
		"a preflight":               {read.Request{Method: "OPTIONS"}, "preflight", "preflight"},
		"another method":            {read.Request{Method: "POST"}, "method no-store", "method no-store"},
		"a preview token":           {read.Request{Authorization: "Bearer svc_prv_0123456789abcdef_0123456789012345678901234567890123456789"}, "forward", "who no-store"},
		"a key that is not good":    {read.Request{Authorization: "Bearer svc_sk_0123456789abcdef_0123456789012345678901234567890123456789"}, "who no-store", "who no-store"},
	} {
		c.ask.Route = query.RouteLive
		s := newSite(t)
		s.want(name+" at core", s.get(c.ask), c.core)
		s.edge(s.never)
		s.want(name+" at an edge", s.get(c.ask), c.edge)
	}
}

// TestRightsAreThoseOfReads, and end as they do.
func TestRightsAreThoseOfReads(t *testing.T) {
	s := newSite(t)
	s.edge(s.never)
	for name, c := range map[string]struct {
		authorization string
		sees          string // of posts, drafts, and a collection that was removed
		code          fault.Code
	}{
		"a stranger":                {"", "posts", ""},
		"a key":                     {s.key(1, false, credential.ContentRead), "posts drafts removed", ""},
		"a key of other scopes":     {s.key(1, false, credential.ContentWrite), "posts", ""},
		"a confined key":            {s.key(1, false, credential.ContentRead, "drafts"), "posts drafts", ""},
		"a key that was revoked":    {s.key(1, true, credential.ContentRead), "", fault.AuthenticationRequired},
		"a key of somebody else":    {s.key(2, false, credential.ContentRead), "", fault.NotFound},
		"a credential of other use": {"Bearer svc_ik_0123456789abcdef_0123456789012345678901234567890123456789", "", fault.AuthenticationRequired},
	} {
		rights, err := s.engine.Rights(t.Context(), readtest.Project(1), c.authorization)
		if c.code != "" {
			if !fault.Is(err, c.code) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sees := ""
		for _, collection := range []string{"posts", "drafts", "removed"} {
			if rights.Sees(collection) {
				sees += " " + collection
			}
		}
		if sees != " "+c.sees || rights.Release != 1 || rights.Keyed != (c.authorization != "") {
			t.Errorf("%s sees%s of release %d", name, sees, rights.Release)
		}
	}
	if _, err := s.engine.Rights(t.Context(), readtest.Project(2), ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("of a project that is not there: %v", err)
	}
}
