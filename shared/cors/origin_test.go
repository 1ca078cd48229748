package cors

import "testing"

func TestOriginsAreInTheFormThatBrowsersSend(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://shop.example":              "https://shop.example",
		"https://shop.example/":             "https://shop.example",
		"https://Shop.Example/path?q#f":     "https://shop.example",
		"HTTPS://shop.example:443":          "https://shop.example",
		"https://shop.example:0443":         "https://shop.example",
		"https://shop.example:":             "https://shop.example",
		"http://shop.example:80/":           "http://shop.example",
		"http://shop.example:443":           "http://shop.example:443",
		"https://shop.example:8443/":        "https://shop.example:8443",
		"http://localhost:3000":             "http://localhost:3000",
		"http://LOCALHOST:03000":            "http://localhost:3000",
		"https://a_b.shop.example":          "https://a_b.shop.example",
		"https://r3---sn-x.shop.example":    "https://r3---sn-x.shop.example",
		"https://shop.example.":             "https://shop.example.",
		"  https://shop.example/with space": "https://shop.example",
		"https://shop.example.evil.com":     "https://shop.example.evil.com",
		"https://evil.com/https://a.b":      "https://evil.com",

		// names of other scripts
		"https://münchen.example":           "https://xn--mnchen-3ya.example",
		"https://MÜNCHEN.example:443/x":     "https://xn--mnchen-3ya.example",
		"https://mu\u0308nchen.example":     "https://xn--mnchen-3ya.example",
		"https://m%C3%BCnchen.example":      "https://xn--mnchen-3ya.example",
		"https://XN--MNCHEN-3YA.example":    "https://xn--mnchen-3ya.example",
		"https://straße.example":            "https://xn--strae-oqa.example",
		"https://例え。テスト:8443":               "https://xn--r8jz45g.xn--zckzah:8443",
		"https://ｓｈｏｐ．ｅｘａｍｐｌｅ":              "https://shop.example",
		"https://пример.испытание":          "https://xn--e1afmkfd.xn--80akhbyknj4f",
		"https://xn--a.example":             "", // no punycode
		"https://a\u200db.example":          "", // a joiner where none may stand
		"https://\u05d0a.\u05d0\u05d1.test": "", // of both directions

		// addresses
		"http://127.0.0.1:8080":       "http://127.0.0.1:8080",
		"http://127.0.0.1.":           "http://127.0.0.1",
		"http://[::1]:3000":           "http://[::1]:3000",
		"http://[0:0:0:0:0:0:0:1]:80": "http://[::1]",
		"http://[2001:DB8::00A]":      "http://[2001:db8::a]",
		"http://[::ffff:1.2.3.4]":     "http://[::ffff:102:304]",
		"http://[fe80::1%25eth0]":     "",
		"http://[::1":                 "",
		"http://[1.2.3.4]":            "",
		"http://1.2.3":                "",
		"http://1.2.3.256":            "",
		"http://01.2.3.4":             "",
		"http://a.0x1f":               "",

		// what no browser sends
		"null":                           "",
		"":                               "",
		"*":                              "",
		"https://*":                      "",
		"https://*.shop.example":         "",
		"shop.example":                   "",
		"//shop.example":                 "",
		"https:shop.example":             "",
		`https:\\shop.example`:           "",
		"ftp://shop.example":             "",
		"https://":                       "",
		"https:///path":                  "",
		"https://.":                      "",
		"https://a..b":                   "",
		"https://user@shop.example":      "",
		"https://shop.example@evil.com":  "",
		"https://shop.example:65536":     "",
		"https://shop.example:http":      "",
		"https://shop example":           "",
		"https://a%80.example":           "",
		"https://shop.example\r\nx: y":   "",
		"https://a,b.example":            "",
		"https://shop.example\\.evil":    "",
		"https://one.test,https://b.com": "",
	} {
		got, ok := Canonical(in)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", in, got, ok, want)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		"https://a.b:443/", "http://[::1]:80", "null", "https://a@b:c", "http://%zz", "https://ü.ß", "http://0x7f.1", "https://xn--a", "http://a.0x",
		"http://h:99999", "HTTP://x?y#z", "http://ex%41mple.com", "https://a..b", "https://-.-", "http://a--b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := Canonical(s)
		if !ok {
			return
		}
		if again, ok := Canonical(c); !ok || again != c {
			t.Fatalf("%q is %q and that is %q, %v", s, c, again, ok)
		}
		if isPlain(s) {
			if slow, ok := Canonical(s + "/"); !ok || slow != s {
				t.Fatalf("%q seems canonical and is %q, %v", s, slow, ok)
			}
		}
	})
}
