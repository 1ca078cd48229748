package cli

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
)

// TestTitles: a title is one short line, in the default locale of the project where it is localized.
func TestTitles(t *testing.T) {
	t.Parallel()
	in := titles{fields: map[string]string{"posts": "title"}, locale: "en", locales: []string{"en", "de"}}
	for _, tt := range []struct{ title, want string }{
		{`"Night buses"`, "Night buses"},
		{`" \n"`, ""},
		{`null`, ""},
		{`"` + strings.Repeat("word ", 50) + `"`, strings.Repeat("word ", 15) + "word…"},
		{`"First line\nsecond"`, "First line…"},
		{`{"de":"Nachtbusse","en":"Night buses"}`, "Night buses"},
		{`{"de":"Nachtbusse"}`, ""},
		{`{"en":"no locale map","k":1}`, `{"en":"no locale map","k":1}`},
	} {
		e := wire.Entry{Collection: "posts", Draft: &wire.Head{Fields: jsontext.Value(`{"title":` + tt.title + `}`)}}
		if got := in.of(e); got != tt.want {
			t.Errorf("%s is listed as %q, want %q", tt.title, got, tt.want)
		}
	}
}
