package cors

import "testing"

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
