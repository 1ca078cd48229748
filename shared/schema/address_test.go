package schema

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// addressed is a collection with a field of every type and this path.
func addressed(kind, path string) string {
	return `{"name":"c","kind":"` + kind + `","path":` + string(appendString(nil, path)) + `,"fields":{"title":{"type":"text"},"n":{"type":"number"},
		"ok":{"type":"boolean"},"day":{"type":"date"},"at":{"type":"datetime"},"body":{"type":"markdown"},"data":{"type":"json"},
		"pic":{"type":"asset"},"pics":{"type":"asset","multiple":true},"by":{"type":"reference","to":"c"},"all":{"type":"reference","to":"c","multiple":true},
		"tags":{"type":"list","of":{"type":"text"}},"o":{"type":"object","fields":{}},"prose":{"type":"richText"},
		"parts":{"type":"blocks","allowed":[{"key":"b","fields":{}}]}}}`
}

func TestPathsThatPagesHave(t *testing.T) {
	for _, path := range []string{
		"/", "/blog/{slug}", "/blog/{slug}/", "/{locale}/{id}", "/{slug}.html", "/a-{n}_{ok}~{day}", "/{at}/{title}/{pic}/{by}", "/a.b/..c/...",
		"/über/{slug}", "/日本/{slug}", "/caf%C3%A9/a%20b/{slug}", "/a:b@c!$&'()*+,;=", "/{slug}/{slug}", "/.well-known/{id}",
		"/" + strings.Repeat("a", maxPath-1),
	} {
		if _, err := ParseSet([]jsontext.Value{jsontext.Value(addressed("collection", path))}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := ParseSet([]jsontext.Value{jsontext.Value(`{"name":"c","kind":"singleton","path":"/{slug}/{id}","fields":{"slug":{"type":"text"}}}`)}); err != nil {
		t.Errorf("a singleton's own field: %v", err)
	}
}

// What no page can have is refused where it is declared, with what is right, and read where it is deployed.
func TestPathsThatNoPageHas(t *testing.T) {
	for path, want := range map[string]string{
		"//host/{slug}": "one slash", "/a//{slug}": "one slash", "/../x": "no segment", "/a/./{slug}": "no segment",
		"/a/%2e%2E/x": "no segment", "/x/..": "no segment", "/a\\b": "backslash", "/\\host/{slug}": "backslash", "/a?b={slug}": "query",
		"/a#{slug}": "fragment", "/a\nb": "characters", "/a\u200bb": "cannot be seen", "/a\u202eb": "cannot be seen", "/a b": "%20",
		"/a\u00a0b": "cannot be seen", "/a\tb": "characters", "/a\x7fb": "characters", "/[slug]": "characters", "/<b>": "characters", "/a|b": "characters",
		"/a\"b": "characters", "/a`b": "characters", "/a^b": "characters", "/100%": "%25", "/%zz": "%25", "/%{slug}": "%25", "/%ff": "hide",
		"/a%2Fb": "hide", "/a%5cb": "hide", "/a%00b": "hide", "/a%0Ab": "hide", "/a%E2%80%8Bb": "hide", "/" + strings.Repeat("a", maxPath): "at most 1000 characters",
		"/{body}": "{body}", "/{data}": "type json", "/{pics}": "type asset", "/{all}": "type reference",
		"/{tags}": "type list", "/{o}": "type object", "/{prose}": "type richText", "/{parts}": "type blocks",
	} {
		file := jsontext.Value(addressed("collection", path))
		_, err := ParseSet([]jsontext.Value{file})
		f := fault.As(err)
		if f == nil || len(f.Items) != 1 || f.Items[0].Path != "collections[0].path" || !strings.Contains(f.Items[0].Message, want) {
			t.Errorf("%q: got %+v, want %q", path, f, want)
		} else if !IsVisible(f.Items[0].Message) {
			t.Errorf("%q: the message %q hides something", path, f.Items[0].Message)
		}
		c, err := Parse(file)
		if err != nil {
			t.Fatalf("%q cannot be read where it is deployed: %v", path, err)
		}
		if again, err := Parse(c.Canonical()); err != nil || again.Hash() != c.Hash() {
			t.Errorf("%q does not come back from its canonical form: %v", path, err)
		}
	}
}

func TestEveryFaultOfAPathIsTold(t *testing.T) {
	for path, want := range map[string]int{"//{o}/{tags}/{slug}": 1, "/{o}/{tags}/{slug}": 2, "a/{slug": 1, "}{": 1, "/{}": 1, "/{{slug}}": 1, "/{nope}/{o}": 2} {
		_, err := ParseSet([]jsontext.Value{jsontext.Value(addressed("collection", path))})
		if f := fault.As(err); f == nil || len(f.Items) != want {
			t.Errorf("%q: got %+v, want %d faults", path, f, want)
		}
	}
	_, err := ParseSet([]jsontext.Value{jsontext.Value(`{"name":"c","path":"/{o}","fields":{"o":{"type":"objet"}}}`)})
	if f := fault.As(err); f == nil || len(f.Items) != 1 || f.Items[0].Path != "collections[0].fields.o.type" {
		t.Errorf("a field without a type is told of once: %+v", f)
	}
}
