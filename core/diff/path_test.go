package diff_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/core/diff"
	"svc/shared/testrand"
)

func member(name string) diff.Step { return diff.Step{Name: name} }

func item(i int) diff.Step { return diff.Step{IsItem: true, Index: i} }

func TestPathsAreWritten(t *testing.T) {
	for _, tt := range []struct {
		path diff.Path
		want string
	}{
		{nil, ``},
		{diff.Path{member("title")}, `title`},
		{diff.Path{member("title"), member("de-AT")}, `title.de-AT`},
		{diff.Path{member("sections"), item(2), member("fields"), member("title")}, `sections[2].fields.title`},
		{diff.Path{item(0), item(10)}, `[0][10]`},
		{diff.Path{member("a.b"), member("c")}, `["a.b"].c`},
		{diff.Path{member("a"), member("[0]"), item(0)}, `a["[0]"][0]`},
		{diff.Path{member(`say "x"`), member(`\`)}, `["say \"x\""].\`},
		{diff.Path{member(""), member("")}, `[""][""]`},
		{diff.Path{member(`.` + "\n"), member("a]"), member("0")}, `[".\n"].a].0`},
		{diff.Path{member("日本"), member("é.")}, `日本["é."]`},
	} {
		if got := tt.path.String(); got != tt.want {
			t.Errorf("%#v is written %s, want %s", tt.path, got, tt.want)
		}
		if back, err := diff.ParsePath(tt.want); err != nil || !slices.Equal(back, tt.path) {
			t.Errorf("%s is read as %#v, %v", tt.want, back, err)
		}
	}
}

func TestPathsHaveOneText(t *testing.T) {
	for _, text := range []string{
		`.a`, `a.`, `a..b`, `a.[0]`, `a[`, `a[]`, `a[-1]`, `a[+1]`, `a[01]`, `a[1`, `a[99999999999999999999]`, `["a"]`, `a["b"]`, `["a.b"`, `["a.b]`, `["a.b"]c`,
		`["a\u002e"]`, `["\ud800."]`, `["\x"]`, `['a.b']`, `[a.b]`, "a\xff", `a"b`, `["a.b\`, `["a.` + "\n" + `"]`,
	} {
		if p, err := diff.ParsePath(text); err == nil {
			t.Errorf("%s is read as %#v", text, p)
		} else if len(err.Error()) == 0 || !strings.Contains(err.Error(), "path") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPathsWithinOthers(t *testing.T) {
	for _, tt := range []struct {
		path, prefix string
		within       bool
	}{
		{`a.b`, `a`, true}, {`a`, `a`, true}, {`a`, ``, true}, {`a`, `a.b`, false}, {`ab`, `a`, false}, {`a.b`, `b`, false}, {`a[0].b`, `a[0]`, true}, {`["a.b"]`, `a`, false}, {`a.0`, `a[0]`, false},
	} {
		p, prefix := path(t, tt.path), path(t, tt.prefix)
		if got := p.HasPrefix(prefix); got != tt.within {
			t.Errorf("%s within %s: %v", tt.path, tt.prefix, got)
		}
	}
}

func path(t testing.TB, text string) diff.Path {
	t.Helper()
	p, err := diff.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPathsComeBeforeThoseWithinThem(t *testing.T) {
	sorted := []string{``, `[0]`, `[2]`, `[10]`, `a`, `a[1]`, `a["."]`, `a.b`, `a.b.c`, `a-b`, `["a."]`, `b`}
	for i := range sorted {
		for j := range sorted {
			if got, want := path(t, sorted[i]).Compare(path(t, sorted[j])), compare(i, j); got != want {
				t.Errorf("%q against %q: %d, want %d", sorted[i], sorted[j], got, want)
			}
		}
	}
}

func compare(i, j int) int { return min(1, max(-1, i-j)) }

func TestMembersOfAPathDoNotShareIt(t *testing.T) {
	p := path(t, `a.b.c`)[:2]
	x, y := p.Member("x"), p.Member("y")
	if x.String() != `a.b.x` || y.String() != `a.b.y` || p[:3].String() != `a.b.c` {
		t.Errorf("%s, %s and %s", x, y, p[:3])
	}
}

func TestPathsReadBackAsTheyAreWritten(t *testing.T) {
	names := rapid.StringOf(rapid.RuneFrom([]rune("ab.[]\"\\0\né漢\u2028")))
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) diff.Step {
		if rapid.Bool().Draw(t, "item") {
			return item(rapid.IntRange(0, 1<<40).Draw(t, "index"))
		}
		return member(names.Draw(t, "name"))
	}), 0, 5)
	testrand.Check(t, func(t *rapid.T) {
		p := diff.Path(steps.Draw(t, "steps"))
		back, err := diff.ParsePath(p.String())
		if err != nil || !slices.Equal(back, p) {
			t.Fatalf("%s is read as %#v, %v", p, back, err)
		}
		encoded, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(encoded, &back); err != nil || !slices.Equal(back, p) {
			t.Fatalf("%s is read as %#v, %v", encoded, back, err)
		}
	})
}

// FuzzParsePath holds that what can be read is written the same again, and leads where it did.
func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"", "title.de", "sections[2].fields.title", `["a.b"].c`, `a["\"\u0001"][0]`, `[""]`, "a..b", `["`, "[01]", "a\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := diff.ParsePath(text)
		if err != nil {
			return
		}
		if p.String() != text {
			t.Errorf("%q is written %q", text, p)
		}
		for i := range p {
			part, err := diff.ParsePath(p[:i].String())
			if err != nil || !slices.Equal(part, p[:i]) || !p.HasPrefix(part) || part.Compare(p) >= 0 {
				t.Errorf("%q begins with %q: %v", p, part, err)
			}
		}
	})
}
