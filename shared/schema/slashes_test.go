package schema

import (
	"strings"
	"testing"
)

func TestPatternsBetweenSlashesAreFound(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"/^a$/": `"^a$"`, "/^a$/i": `"(?i)^a$"`, "/a/gimsuy": `"(?ims)a"`, `/^\d+\/x$/`: `"^\\d+\\/x$"`, "/a\nb/": "hold these slashes", `/"/`: `"\""`,
		"//": "", "/": "", "///": `"/"`, "a/b/": "", "/a/b": "", "/a/ii": "", "/a/I": "", "^/a/$": "", "/a": "", "": "",
		"/" + strings.Repeat("a", 500) + "/": "hold these slashes",
	} {
		c, err := Parse([]byte(`{"name":"c","fields":{"f":{"type":"text","pattern":` + string(appendString(nil, pattern)) + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		items := c.PatternItems()
		if len(items) != 1 != (want == "") || want != "" && !strings.HasSuffix(items[0].Message, want) {
			t.Errorf("%q: %+v, want %q", pattern, items, want)
		}
	}
}

func TestPatternsBetweenSlashesAreFoundAtEveryDepth(t *testing.T) {
	t.Parallel()
	const text = `{"type":"text","pattern":"/a/"}`
	c, err := Parse([]byte(`{"name":"c","fields":{"t":` + text + `,"l":{"type":"list","of":` + text + `},"o":{"type":"object","fields":{"t":` + text + `}},
		"lo":{"type":"list","of":{"type":"object","fields":{"t":` + text + `}}},"b":{"type":"blocks","allowed":[{"key":"x","fields":{}},{"key":"y","fields":{"t":` + text + `}}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range c.PatternItems() {
		got = append(got, item.Path)
	}
	const want = "fields.t.pattern fields.l.of.pattern fields.o.fields.t.pattern fields.lo.of.fields.t.pattern fields.b.allowed[1].fields.t.pattern"
	if strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
}
