package store

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"pgregory.net/rapid"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read/readtest"
)

// keyring is the keys of the machine's organization, as they should be found.
type keyring struct {
	grants  map[string]*credential.Grant
	deleted bool // the organization, whose keys no one finds then
}

const machineKeys = 5

func (m *machine) keyFeed() *feed { return m.sub.feed(string(readtest.Organization(1))) }

// found makes the organization, which the keys of its log need.
func (m *machine) found(t fataler, deleted bool) {
	m.keys.deleted = deleted
	o := &recordpb.Organization{Id: m.keyFeed().id, Slug: "acme", Name: "Acme", Deleted: deleted}
	m.keyFeed().apply(t, m.sub.s, record.KindOrganization, o)
}

// organization deletes the organization or brings it back.
func (m *machine) organization(t *rapid.T) { m.found(t, !m.keys.deleted) }

// key makes a key, or changes what one allows: revoked or not, confined or not.
func (m *machine) key(t *rapid.T) {
	n := rapid.IntRange(1, machineKeys).Draw(t, "key")
	g := credential.Grant{
		Key: content.FromBytes[content.KeyID]([16]byte{byte(n)}), PublicID: fmt.Sprint("key-", n), Hash: credential.Hash{byte(n)},
		Organization: readtest.Organization(1), Scopes: []credential.Scope{credential.ContentRead},
		Revoked: rapid.Bool().Draw(t, "revoked"),
	}
	if rapid.Bool().Draw(t, "of the project") {
		g.Project = m.set.ID
	}
	if rapid.Bool().Draw(t, "confined") {
		g.Collections = machineCollections[:1]
	}
	if rapid.Bool().Draw(t, "ends") {
		g.ExpiresAt = time.UnixMilli(rapid.Int64Range(1, 9).Draw(t, "end")).UTC()
	}
	if err := m.sub.PutKey(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	m.keys.grants[g.PublicID] = &g
}

func (m *machine) reloadKeys(t *rapid.T) { m.keyFeed().load(t, m.sub.s) }

// checkKeys compares what the store says of every key.
func (m *machine) checkKeys(t *rapid.T) {
	for n := range machineKeys + 1 {
		id := fmt.Sprint("key-", n)
		want := m.keys.grants[id]
		if m.keys.deleted {
			want = nil
		}
		got, err := m.sub.s.Grant(context.Background(), id)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("the grant of %s is %+v, %v; want %+v", id, got, err, want)
		}
	}
}

// checkKeySum compares the state sum that is kept with what is stored.
func (m *machine) checkKeySum(t *rapid.T) {
	log := m.keyFeed().id
	kept, held, err := m.sub.s.StateHash(context.Background(), log)
	if err != nil || !held {
		t.Fatalf("state sum of %s: held %v, %v", log, held, err)
	}
	if scanned, err := m.sub.s.Rescan(context.Background(), log); err != nil || scanned != kept {
		t.Fatalf("state sum of %s: kept %s, scanned %s, %v", log, kept, scanned, err)
	}
}
