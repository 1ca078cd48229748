package credential

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/shared/fault"
)

func TestMintedSecretsParseAndMatch(t *testing.T) {
	for _, kind := range []Kind{APIKey, ConnectorGrant, PreviewToken, IngestKey} {
		s := Mint(kind)
		got, err := Parse(s.Text())
		if err != nil || got != s {
			t.Fatalf("%v came back as %v, %v", s, got, err)
		}
		if !got.Matches(s.Hash()) || got.Matches(Mint(kind).Hash()) {
			t.Fatal("a secret must match its own hash alone")
		}
		if strings.Contains(fmt.Sprint(s), strings.Split(s.Text(), "_")[3]) {
			t.Fatal("printing a secret shows it")
		}
	}
}

func TestBearerRefusesWhatIsNoCredential(t *testing.T) {
	good := Mint(APIKey).Text()
	for _, h := range []string{"Basic abc", "Bearer", "Bearer ", "Bearer x", good, "Bearer " + good + "x",
		"Bearer svc_zz" + good[6:], "Bearer " + strings.Replace(good, "sk_", "sk_-", 1)} {
		if _, present, err := Bearer(h); !present || !fault.Is(err, fault.AuthenticationRequired) {
			t.Errorf("%q: present %v, %v", h, present, err)
		}
	}
	if _, present, err := Bearer(""); present || err != nil {
		t.Error("no header is no credential")
	}
	if s, _, err := Bearer("bearer " + good); err != nil || s.Text() != good {
		t.Errorf("the scheme is case-insensitive: %v", err)
	}
}

func TestGrantBounds(t *testing.T) {
	now := time.Unix(1000, 0)
	g := Grant{Organization: "org_a", Project: "prj_a", Scopes: []Scope{ContentRead}, Collections: []string{"posts"}, ExpiresAt: now}
	if g.Live(now) || !g.Live(now.Add(-1)) {
		t.Error("a key ends at its expiry")
	}
	if g.Reaches("org_a", "prj_b") || g.Reaches("org_b", "prj_a") || !g.Reaches("org_a", "prj_a") {
		t.Error("project confinement")
	}
	if g.Covers("pages") || !g.Covers("posts") || g.Has(ContentWrite) {
		t.Error("collection confinement or scopes")
	}
	g.Revoked = true
	if g.Live(now.Add(-1)) {
		t.Error("revoked is final")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Mint(APIKey).Text())
	f.Add("svc_sk__")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse(text); err == nil && s.Text() != text {
			t.Fatalf("%q came back as %q", text, s.Text())
		}
	})
}
