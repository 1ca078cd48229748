package record

import (
	"reflect"
	"testing"
	"time"

	"svc/shared/credential"
)

func TestAKeyComesBackAsTheGrantItWas(t *testing.T) {
	for name, g := range map[string]*credential.Grant{
		"confined": {
			Key: "key_1", PublicID: "p", Hash: credential.Hash{1, 2}, Organization: "org_1", Project: "prj_1",
			Scopes: []credential.Scope{credential.ContentRead}, Collections: []string{"posts"},
			ExpiresAt: time.UnixMilli(1_700_000_000_123).UTC(), Revoked: true,
		},
		"plain": {Key: "key_2", PublicID: "q", Hash: credential.Hash{3}, Organization: "org_1"},
	} {
		got, err := GrantOf("org_1", KeyOf(g))
		if err != nil || !reflect.DeepEqual(got, g) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, g)
		}
	}
	broken := KeyOf(&credential.Grant{})
	broken.Hash = broken.Hash[:31]
	if _, err := GrantOf("org_1", broken); err == nil {
		t.Error("a short hash was taken")
	}
}
