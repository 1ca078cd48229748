package schema

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/fault"
	"svc/shared/testrand"
)

func TestWhatIsQuotedIsShortAndVisible(t *testing.T) {
	long := strings.Repeat("é", 61)
	for _, tt := range []struct{ in, quoted, shown, visible string }{
		{"", `""`, "", ""},
		{"title", `"title"`, "title", "title"},
		{`a"b\c`, `"a\"b\\c"`, `a"b\c`, `a"b\c`},
		{"über 日本 🎈", `"über 日本 🎈"`, "über 日本 🎈", "über 日本 🎈"},
		{"a\nb\t\x00\x1b[31m", `"a\nb\t\x00\x1b[31m"`, `a\nb\t\x00\x1b[31m`, `a\nb\t\x00\x1b[31m`},
		{"a\u200bb\u200d\ufeff", `"a\u200bb\u200d\ufeff"`, `a\u200bb\u200d\ufeff`, `a\u200bb\u200d\ufeff`},
		{"a\u202eb\u2066", `"a\u202eb\u2066"`, `a\u202eb\u2066`, `a\u202eb\u2066`},
		{"a\u00a0b\u3000\u2028", `"a\u00a0b\u3000\u2028"`, `a\u00a0b\u3000\u2028`, `a\u00a0b\u3000\u2028`},
		{"\u3164\u115f\u2800\ufe0f\U000e0041", `"\u3164\u115f\u2800\ufe0f\U000e0041"`, `\u3164\u115f\u2800\ufe0f\U000e0041`, `\u3164\u115f\u2800\ufe0f\U000e0041`},
		{"a\xffb", `"a\xffb"`, `a\xffb`, `a\xffb`},
		{"a\\\n", `"a\\\n"`, `a\\\n`, `a\\\n`},
		{"\ufffd", "\"\ufffd\"", "\ufffd", "\ufffd"},
		{long, `"` + long[:120] + `…"`, long[:120] + "…", long},
	} {
		if q, s, v := Quote(tt.in), Show(tt.in), Visible(tt.in); q != tt.quoted || s != tt.shown || v != tt.visible {
			t.Errorf("%q: Quote %s, Show %s, Visible %s", tt.in, q, s, v)
		}
	}
}

func TestVisibleHidesNothing(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		in, other := string(rapid.SliceOf(rapid.Byte()).Draw(t, "in")), rapid.String().Draw(t, "other")
		for _, s := range []string{Visible(in), Visible(other), Quote(in), Quote(other), Show(in), Show(other)} {
			if !IsVisible(s) || !utf8.ValidString(s) {
				t.Fatalf("%q of %q and %q", s, in, other)
			}
		}
		if in != other && Visible(in) == Visible(other) && (!IsVisible(in) == !IsVisible(other)) {
			t.Fatalf("%q and %q look the same", in, other)
		}
	})
}

// Whatever an author puts where, the report shows the beginning of it, and nothing of it hides.
func TestReportsShowAuthorsTextsShortAndVisible(t *testing.T) {
	text := func(s string) string { return string(appendString(nil, s)) }
	for name, evil := range map[string]string{
		"long": strings.Repeat("x(", 4000), "hidden": "a\u200b\u202e\n\x1b\u3164b(", "hidden and long": strings.Repeat("\U000e0041\u200b(", 4000),
	} {
		e := text(evil)
		for _, file := range []string{
			`{"name":` + e + `,"fields":{}}`, `{"name":"a","kind":` + e + `,"visibility":` + e + `,"titleField":` + e + `,"path":` + e + `,"fields":{}}`,
			`{"name":"a","path":` + text("/{"+evil+"}") + `,"fields":{}}`, `{"name":"a","path":` + text("/"+evil) + `,"fields":{}}`,
			`{"name":"a",` + e + `:1,"fields":{` + e + `:{"type":"text",` + e + `:{` + e + `:1}}}}`, `{"name":"a",` + e + `:1,` + e + `:1,"fields":{}}`,
			`{"name":"a","fields":{` + e + `:{"type":"text"},` + e + `:{"type":"text"}}}`, `{"name":"a","fields":{` + e + `:{"type":"number","max":1e9999}}}`,
			`{"name":"a","fields":{` + e + `:{"type":"text","pattern":"`, `{"name":"a","fields":{` + e + `:` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}`,
			`{"name":"a",` + e + `:"\u0000","fields":{}}`, `{"name":"a",` + text(evil+"\x00") + `:1,"fields":{}}`, field(`{"type":` + e + `}`), field(`{"type":"text","pattern":` + e + `}`),
			field(`{"type":"text","pattern":` + text(strings.Repeat("a", 3000)+"(") + `}`), field(`{"type":"text","pattern":` + text("x"+evil) + `,"default":"b"}`),
			field(`{"type":"text","pattern":` + text("x"+strings.ReplaceAll(evil, "(", "y")) + `,"default":"b"}`),
			field(`{"type":"text","enum":[` + e + `,` + e + `],"default":"b"}`), field(`{"type":"date","min":` + e + `,"default":` + e + `}`),
			field(`{"type":"datetime","min":` + e + `,"default":` + e + `}`), field(`{"type":"asset","allowed":[` + e + `]}`), field(`{"type":"reference","to":` + e + `}`),
			field(`{"type":"blocks","allowed":[{"key":` + e + `,"fields":{}},{"key":` + e + `,"fields":{}}]}`), `{"name":"a","fields":{"s":{"type":"slug","from":` + e + `}}}`,
			policy(`{"rule":` + e + `}`), policy(`{"rule":"length","field":` + e + `,"max":1}`), policy(`{"rule":"required","fields":[` + e + `,` + e + `]}`),
			policy(`{"rule":"bannedTerms","terms":[` + e + `,` + e + `],"fields":[` + e + `]}`),
		} {
			_, err := ParseSet([]jsontext.Value{jsontext.Value(file)})
			f := fault.As(err)
			if f == nil || len(f.Items) == 0 {
				t.Fatalf("%s: %.200s is accepted", name, file)
			}
			for _, item := range append(f.Items, fault.Item{Message: f.Detail}) {
				if len(item.Path) > 1500 || len(item.Message) > 2500 || !IsVisible(item.Path+item.Message) {
					t.Errorf("%s: %.200s\n%d bytes at %q: %q", name, file, len(item.Message), item.Path, item.Message)
				}
			}
		}
	}
}

// An enum of thousands of members is not repeated whole.
func TestEnumsAreShownInPart(t *testing.T) {
	f := &Field{Type: TypeText}
	for range 5000 {
		f.Enum = append(f.Enum, strings.Repeat("é\u200b", 500))
	}
	breaches := f.Fit(jsontext.Value(`"x"`))
	if len(breaches) != 1 || len(breaches[0].Message) > 12_000 || !strings.HasSuffix(breaches[0].Message, "and 4980 more") {
		t.Errorf("%d bytes: %.300q", len(breaches[0].Message), breaches[0].Message)
	}
}

func TestPatternsThatRepeatTooOftenAreExplained(t *testing.T) {
	for pattern, want := range map[string]string{
		"(a{1000}){1000}":         "repeats at most 1000 times",
		"a{1001}":                 "at {1001}",
		"(abc[0-9]{20}){900}x{3}": "repeats at most 1000 times",
		strings.Repeat("(", 2000) + strings.Repeat(")", 2000): "nests too much",
		"(?<!a)b":                           "no back-references, look-ahead or look-behind",
		`(a)\\2`:                            "no back-references",
		strings.Repeat(`[a-f]{999}`, 30):    "bound the length with maxLength",
		"(" + strings.Repeat("a", 100_000):  "missing closing )",
		"[" + strings.Repeat("\u200b", 500): `\u200b`,
	} {
		_, err := Parse([]byte(field(`{"type":"text","pattern":"` + pattern + `"}`)))
		f := fault.As(err)
		if f == nil || len(f.Items) != 1 || !strings.Contains(f.Items[0].Message, want) || len(f.Items[0].Message) > 700 {
			t.Errorf("%.40q: %.300v, want %q", pattern, err, want)
		}
	}
}
