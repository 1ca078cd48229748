package project

import "testing"

func FuzzCanonicalOrigin(f *testing.F) {
	for _, seed := range []string{"https://Example.com:443/x", "http://[::1]:8080", "http://a:b@c", "https://", "http://h:99999", "HTTP://x?y#z", "http://ex%41mple.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, ok := canonicalOrigin(text)
		if !ok {
			return
		}
		if twice, ok := canonicalOrigin(once); !ok || twice != once {
			t.Fatalf("%q became %q, and that became %q", text, once, twice)
		}
	})
}
