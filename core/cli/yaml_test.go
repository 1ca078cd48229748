package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/testrand"
)

// numbers and texts that YAML reads in more than one way, or not at all, unless they are written with care.
var (
	oddNumbers = []string{"0", "-0", "1.50", "1e5", "1E+400", "1e-400", "-1.0e-7", "12345678901234567890123", "0.10", "9007199254740993"}
	oddTexts   = []string{
		"", " ", "\n", "a\n", "a\n\n", "\na", " a\nb", "a \nb", "a\n b", "a\tb", "\ta\nb", "a\r\nb", "yes", "no", "~", "null", "true", "1.50", "1E+400", " 1", "0x1F", "1_000",
		"2026-01-31", "12:30:45", "<<", "*a", "&a", "- a", "a: b", "# a", "a #b", "{a}", "[a]", "'", `"`, "%", "@", "`", "!!str a", "---", "...", "? a", "|", ">",
		"\u0000", "\u0007", "\u0085", "\u2028", "\ufeff", "\u00a0", "春の号", "😀", "a 😀\n🌷\n", "\ue000 😀", "\ue000\ue001", "\U0010fffd", strings.Repeat("long words ", 30), "a\n# b\n", "a\n---\nb", "a\n\n  b\nc",
	}
)

func values() *rapid.Generator[string] {
	scalar := rapid.OneOf(rapid.SampledFrom(oddNumbers), rapid.SampledFrom([]string{"null", "true", "false", "{}", "[]"}), rapid.Map(texts(), quoted))
	return rapid.Custom(func(t *rapid.T) string { return nested(scalar, 3).Draw(t, "value") })
}

func texts() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(oddTexts), rapid.StringOf(rapid.SampledFrom([]rune(" \n\t-:#'\"{}[],&*!|>%@?aé0.\\"))))
}

func quoted(s string) string {
	text, _ := jsontext.AppendQuote(nil, s) // it is UTF-8
	return string(text)
}

func nested(scalar *rapid.Generator[string], depth int) *rapid.Generator[string] {
	if depth == 0 {
		return scalar
	}
	inner := nested(scalar, depth-1)
	list := rapid.Map(rapid.SliceOfN(inner, 0, 3), func(of []string) string { return "[" + strings.Join(of, ",") + "]" })
	object := rapid.Custom(func(t *rapid.T) string {
		var members []string
		for _, name := range rapid.SliceOfNDistinct(texts(), 0, 3, rapid.ID).Draw(t, "names") {
			members = append(members, quoted(name)+":"+inner.Draw(t, "member"))
		}
		return "{" + strings.Join(members, ",") + "}"
	})
	return rapid.OneOf(scalar, list, object)
}

// What is written as YAML reads as the same JSON: the same texts, the same order, every number as it was written.
func TestYAMLKeepsEverything(t *testing.T) {
	t.Parallel()
	testrand.Check(t, func(t *rapid.T) {
		v := values().Draw(t, "value")
		text, err := toYAML(jsontext.Value(v))
		if err != nil {
			t.Fatal(err)
		}
		got, err := fromYAML(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", v, err, text)
		}
		if strings.TrimSpace(string(got)) != v {
			t.Fatalf("%s\n%s became\n%s", v, text, got)
		}
	})
}

func TestYAMLIsWrittenForPeople(t *testing.T) {
	t.Parallel()
	const long = "A text of more than eighty characters, which stays in the one line that it is, however wide a terminal may be."
	const value = `{"title":"春の号: one","body":"# Head 😀\n\nText.\n","views":1.50,"tags":["a","b"],"seo":{"en":"no"},"none":null,"empty":{},"long":"` + long + `","at":"2026-01-31"}`
	const want = `title: '春の号: one'
body: |
  # Head 😀

  Text.
views: 1.50
tags:
  - a
  - b
seo:
  en: no
none: null
empty: {}
long: ` + long + `
at: "2026-01-31"
`
	if got, err := toYAML(jsontext.Value(value)); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestYAMLThatIsNotTaken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]syntaxError{
		"":                             {0, 0, "is empty"},
		"# nothing\n":                  {0, 0, "is empty"},
		"a: [1":                        {2, 1, "is not valid YAML: did not find expected ',' or ']' while parsing a flow sequence of line 1"},
		"# a\nb: 1\nc:\n  d: 2\n e: 3": {5, 2, "is not valid YAML: did not find expected key while parsing a block mapping of line 2"},
		"a: 1\nb: \"c\nd: 2\n":         {4, 1, "is not valid YAML: found unexpected end of stream while scanning a quoted scalar of line 2"},
		"a: \xff":                      {0, 0, "is not valid YAML: invalid leading UTF-8 octet (value: 255)"},
		"a: 1\n---\nb: 2\n":            {2, 1, "a second document begins here, and there may be one alone"},
		"a: &x 1\nb: *x\n":             {2, 4, "references to other places of the file (*x) are not taken"},
		"a: &x {c: 1}\n<<: {d: 1}":     {2, 1, "the name of a member must be a text"},
		"[a]: 1":                       {1, 1, "the name of a member must be a text"},
		"a: 0x1F":                      {1, 4, "0x1F is no number of JSON; write it in decimal digits, or a text in quotation marks"},
		"a: .inf":                      {1, 4, ".inf is no number of JSON; write it in decimal digits, or a text in quotation marks"},
		"a: !!binary aGk=":             {1, 4, "values of the kind !!binary are not taken"},
	} {
		got := &syntaxError{}
		if _, err := fromYAML([]byte(text)); !errors.As(err, &got) || *got != want {
			t.Errorf("%q: %v, want %v", text, *got, want)
		}
	}
}
