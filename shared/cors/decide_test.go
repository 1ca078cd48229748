package cors

import (
	"slices"
	"strings"
	"testing"
)

func TestLocalOrigins(t *testing.T) {
	for origin, want := range map[string]bool{
		"http://localhost": true, "https://localhost:3000": true, "http://app.localhost:5173": true, "http://127.0.0.1:8080": true,
		"http://127.9.9.9": true, "http://[::1]:3000": true, "http://localhost.evil.com": false, "http://notlocalhost": false,
		"http://10.0.0.1": false, "https://shop.example": false,
	} {
		if got := isLocal(origin); got != want {
			t.Errorf("%s: %v", origin, got)
		}
	}
}

func TestWhoMayRead(t *testing.T) {
	t.Parallel()
	allowed := []string{"https://shop.example", "http://localhost:3000"}
	for _, c := range []struct {
		origin    string
		local     bool
		canonical string
		want      Verdict
	}{
		{"https://Shop.example:443/page", false, "https://shop.example", Listed},
		{"https://shop.example.evil.com", true, "https://shop.example.evil.com", Unlisted},
		{"http://shop.example", true, "http://shop.example", Unlisted},
		{"http://localhost:3000", true, "http://localhost:3000", Listed},
		{"http://localhost:5173", true, "http://localhost:5173", Local},
		{"http://localhost:5173", false, "http://localhost:5173", Unlisted},
		{"null", true, "", NoOrigin},
		{"*", true, "", NoOrigin},
	} {
		if canonical, v := Decide(c.origin, allowed, c.local); canonical != c.canonical || v != c.want || v.Allows() != (c.want == Listed || c.want == Local) {
			t.Errorf("%s: %q, %s", c.origin, canonical, v)
		}
	}
}

// FuzzDecide checks that an origin is allowed exactly where its canonical form is in the list, or where it is on this machine and such
// origins may read.
func FuzzDecide(f *testing.F) {
	f.Add("https://shop.example", "https://shop.example http://a.b:81", false)
	f.Add("https://SHOP.example:443/x", "https://shop.example", true)
	f.Add("http://[::1]:3000", "", true)
	f.Add("http://localhost.evil.com", "http://localhost", true)
	f.Add("null", "null *", true)
	f.Fuzz(func(t *testing.T, origin, list string, local bool) {
		var allowed []string
		for text := range strings.FieldsSeq(list) {
			if canonical, ok := Canonical(text); ok { // as settings keep them
				allowed = append(allowed, canonical)
			}
		}
		canonical, v := Decide(origin, allowed, local)
		if again, _ := Decide(canonical, allowed, local); again != canonical || strings.Trim(canonical, "abcdefghijklmnopqrstuvwxyz0123456789-._:/[]") != "" {
			t.Fatalf("%q is %q, and that is %q", origin, canonical, again)
		}
		onThisMachine := strings.Contains(canonical, "//localhost") || strings.Contains(canonical, ".localhost") || strings.Contains(canonical, "//127.") || strings.Contains(canonical, "//[::1]")
		switch listed := slices.Contains(allowed, canonical); {
		case (v == Listed) != (canonical != "" && listed):
			t.Fatalf("%q is %s with the list %q", origin, v, allowed)
		case v == Local && (!local || !onThisMachine || listed):
			t.Fatalf("%q is %s with the list %q, local %v", origin, v, allowed, local)
		case v.Allows() && canonical == "":
			t.Fatalf("%q is allowed", origin)
		}
	})
}
