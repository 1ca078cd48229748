package store

import (
	"reflect"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read/readtest"
)

func TestGrants(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	ctx := t.Context()
	org := string(readtest.Organization(1))
	want := map[string]*credential.Grant{}
	check := func(what string) {
		t.Helper()
		for _, id := range []string{"first", "second", "third", ""} {
			got, err := sub.s.Grant(ctx, id)
			if err != nil || !reflect.DeepEqual(got, want[id]) {
				t.Errorf("%s: the grant of %q is %+v, %v; want %+v", what, id, got, err, want[id])
			}
		}
		kept, _, err := sub.s.StateHash(ctx, org)
		if err != nil {
			t.Fatal(err)
		}
		if scanned, err := sub.s.Rescan(ctx, org); err != nil || scanned != kept {
			t.Errorf("%s: the state sum is %s, scanned %s, %v", what, kept, scanned, err)
		}
	}
	put := func(g credential.Grant) {
		t.Helper()
		if err := sub.PutKey(ctx, g); err != nil {
			t.Fatal(err)
		}
		want[g.PublicID] = &g
	}
	exists := func(deleted bool) {
		t.Helper()
		o := &recordpb.Organization{Id: org, Slug: "acme", Name: "Acme", Deleted: deleted}
		if err := sub.apply(ctx, org, record.KindOrganization, o); err != nil {
			t.Fatal(err)
		}
	}
	grant := credential.Grant{
		Key: content.NewID[content.KeyID](), PublicID: "first", Hash: credential.Hash{1, 2, 3}, Organization: readtest.Organization(1),
		Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{"posts"}, ExpiresAt: time.UnixMilli(5000).UTC(),
	}
	exists(false)
	put(grant)
	second := grant
	second.PublicID, second.Project, second.Scopes, second.Collections = "second", readtest.Project(1), nil, nil
	put(second)
	check("two keys")
	grant.Revoked = true
	put(grant)
	check("one revoked")
	sub.feed(org).load(t, sub.s)
	check("loaded")
	third := second
	third.PublicID = "third"
	put(third)
	check("a third")

	all := want
	exists(true)
	want = map[string]*credential.Grant{}
	check("deleted")
	sub.feed(org).load(t, sub.s)
	check("loaded while deleted")
	exists(false)
	want = all
	check("back again")
	if err := sub.s.Drop(ctx, org); err != nil {
		t.Fatal(err)
	}
	for id := range all {
		if got, err := sub.s.Grant(ctx, id); got != nil || err != nil {
			t.Errorf("dropped, the grant of %s is %+v, %v", id, got, err)
		}
	}
	wantGenerations(t, sub.s, 0)
}

// A key that a snapshot no longer has is gone after the load.
func TestLoadReplacesKeys(t *testing.T) {
	t.Parallel()
	sub := newSubject(t, vfs.NewMem())
	org := string(readtest.Organization(1))
	f := sub.feed(org)
	f.apply(t, sub.s, record.KindOrganization, &recordpb.Organization{Id: org})
	f.apply(t, sub.s, record.KindKey, &recordpb.Key{Id: "k", PublicId: "gone", Hash: make([]byte, 32)})
	other := newFeed(org)
	other.next(record.KindOrganization, &recordpb.Organization{Id: org})
	other.load(t, sub.s)
	if g, err := sub.s.Grant(t.Context(), "gone"); g != nil || err != nil {
		t.Errorf("%+v, %v", g, err)
	}
}
