package value

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

func quoted(t testing.TB, text string) jsontext.Value {
	t.Helper()
	raw, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestMarkdownIsReadAsItsReaderSeesIt(t *testing.T) {
	f := &schema.Field{Type: schema.TypeMarkdown}
	for _, tt := range []struct{ name, source, want string }{
		{"nothing", "", ""},
		{"white space", " \n\n\t", ""},
		{"emphasis inside a word", "f**o**o _bar_ ~~baz~~", "foo bar baz"},
		{"headings and paragraphs", "# One\n\ntwo\nthree\n\nfour", "One\ntwo three\nfour"},
		{"a hard break", "one  \ntwo", "one\ntwo"},
		{"link targets are not seen", "see [the site](https://example.com/x \"title\") now", "see the site now"},
		{"reference links", "[a][b]\n\n[b]: https://example.com", "a"},
		{"images have no text", "a ![alt](/x.png) b", "a b"},
		{"code keeps its white space", "```js title=\"x\"\na\n  b\n```\nafter", "a\n  b\nafter"},
		{"code in a line", "`a  <b>`", "a <b>"},
		{"entities and escapes", "&amp; &eacute; \\* &#x41;", "& é * A"},
		{"lists", "- one\n- [x] two\n  1. three", "one\ntwo\nthree"},
		{"quotes", "> one\n> two", "one two"},
		{"tables", "| a | b |\n|---|---|\n| c | d |", "a b\nc d"},
		{"HTML between the text", "a <b>bold</b> <Tag x=\"y\">c</Tag>", "a bold\nc"},
		{"HTML blocks", "<div>\none <em>two</em>\n</div>", "one two"},
		{"hidden HTML", "<script>alert(1)</script>\n\n<style>p{}</style>\n\na <!-- no --> b", "a b"},
		{"a rule", "a\n\n---\n\nb", "a\nb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Leaf{Field: f, Raw: quoted(t, tt.source)}.Read()
			if err != nil || got.Text != tt.want {
				t.Errorf("got %q, %v; want %q", got.Text, err, tt.want)
			}
		})
	}
}

func TestRichTextIsReadAsItsReaderSeesIt(t *testing.T) {
	f := &schema.Field{Type: schema.TypeRichText}
	doc := func(content string) string { return `{"type":"doc","content":[` + content + `]}` }
	p := func(content string) string { return `{"type":"paragraph","content":[` + content + `]}` }
	text := func(s string) string { return `{"type":"text","text":"` + s + `","marks":[{"type":"bold"}]}` }
	for _, tt := range []struct{ name, value, want string }{
		{"nothing", doc(""), ""},
		{"marks do not part words", doc(p(text("f") + "," + text("oo bar"))), "foo bar"},
		{"blocks stand on lines", doc(p(text("one")) + "," + p(text("two"))), "one\ntwo"},
		{"nested blocks", doc(`{"type":"list","content":[{"type":"item","content":[` + p(text("a")) + `]},{"type":"item","content":[` + p(text("b")) + `]}]}`), "a\nb"},
		{"what stands in a line of text", doc(p(text("a ") + `,{"type":"link","content":[` + text("b") + `]},{"type":"mention","attrs":{"entry":"x"}},` + text(" c"))), "a b c"},
		{"a hard break", doc(p(text("a") + `,{"type":"hardBreak"},` + text("b"))), "a\nb"},
		{"attributes are not seen", doc(`{"type":"image","attrs":{"alt":"no","href":"/no"}}`), ""},
		{"no tree", `"x"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Leaf{Field: f, Raw: jsontext.Value(tt.value)}.Read()
			if err != nil || got.Text != tt.want {
				t.Errorf("got %q, %v; want %q", got.Text, err, tt.want)
			}
		})
	}
}

func TestCountWords(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "one": 1, " one  two\nthree ": 3, "well-known don't": 2, "a — b & c": 3, "3.5 kg": 2, "日本語": 3, "Hello 世界": 3, "世界Hello there": 4,
		"カタカナ": 4, "한국어 문장": 2, "привет, мир!": 2, "हिन्दी में": 2, "...": 0, "a\u00a0b": 2,
	} {
		if got := CountWords(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestTermsAreFoundAsWords(t *testing.T) {
	for _, tt := range []struct {
		text, term string
		want       bool
	}{
		{"an ass", "ass", true}, {"ASS!", "ass", true}, {"a class", "ass", false}, {"assess", "ass", false}, {"class ass", "ass", true},
		{"best in class", "Best in Class", true}, {"best\n in\tclass", "best in class", true}, {"best in classes", "best in class", false},
		{"foo-bar", "foo", true}, {"foo_bar", "foo", true}, {"foo1", "foo", false}, {"C++ code", "c++", true}, {"C+++", "c++", true},
		{"STRASSE", "straße", true}, {"ﬁnal", "final", true}, {"ｆｏｏ", "foo", true}, {"cafe\u0301", "café", true}, {"cafe\u0301", "cafe", false},
		{"これは禁止語です", "禁止語", true}, {"금지어는", "금지어", true}, {"fooです", "foo", true}, {"", "foo", false}, {"foo", " ", false},
	} {
		if got := NewText(tt.text).Holds(NewTerm(tt.term)); got != tt.want {
			t.Errorf("%q in %q: %v, want %v", tt.term, tt.text, got, tt.want)
		}
	}
}

func TestAltsNameEveryUsageOfAnAsset(t *testing.T) {
	const one, two = "ast_01h455vb4pex5vsknk084sn02q", "ast_01h455vb4pex5vsknk084sn02r"
	for _, tt := range []struct {
		name string
		kind schema.FieldType
		raw  jsontext.Value
		want []string // "path id's last letter=text"
	}{
		{"an asset field", schema.TypeAsset, quoted(t, one), []string{"f q="}},
		{"a text", schema.TypeText, quoted(t, "see /assets/p/"+one+"/x.png"), []string{"f q="}},
		{"markdown images", schema.TypeMarkdown, quoted(t, "![A *b*](/"+one+"/x.png) ![](/"+two+") [![c](/"+one+")](/"+one+")"), []string{"f q=A b", "f r=", "f q=c"}},
		{"images in HTML", schema.TypeMarkdown, quoted(t, `<img alt="a" src="/`+one+`"> <Image src="/`+two+`" alt="b" />`), []string{"f q=a", "f r=b"}},
		{"a markdown link", schema.TypeMarkdown, quoted(t, "[x](/"+one+")"), []string{"f q="}},
		{"in code of markdown", schema.TypeMarkdown, quoted(t, "`"+one+"`"), []string{"f q="}},
		{"richText", schema.TypeRichText, jsontext.Value(`{"type":"doc","content":[{"type":"image","attrs":{"asset":"` + one + `","alt":"a"}},{"type":"image","attrs":{"asset":"` + one + `"}},{"type":"text","text":"x","marks":[{"type":"link","attrs":{"href":"/` + two + `"}}]}]}`),
			[]string{"f.content[0].attrs.asset q=a", "f.content[1].attrs.asset q=", "f r="}},
		{"json", schema.TypeJSON, jsontext.Value(`{"a":["` + one + `"]}`), []string{"f q="}},
		{"nothing", schema.TypeText, quoted(t, "ast_x"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			leaf := Leaf{Path: "f", Field: &schema.Field{Type: tt.kind}, Raw: tt.raw}
			reading, err := leaf.Read()
			if err != nil {
				t.Fatal(err)
			}
			alts, err := leaf.Alts(reading)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range alts {
				got = append(got, a.Path+" "+string(a.Asset[len(a.Asset)-1:])+"="+a.Text)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStringsAreWhatAPersonWrote(t *testing.T) {
	for _, tt := range []struct {
		kind schema.FieldType
		raw  string
		want []string
	}{
		{schema.TypeMarkdown, `"a [b](/c)"`, []string{"a [b](/c)"}},
		{schema.TypeJSON, `{"key":["a",{"b":"c"},1,null]}`, []string{"a", "c"}},
		{schema.TypeRichText, `{"type":"doc","content":[{"type":"text","text":"a","marks":[{"type":"link","attrs":{"href":"/b"}}]}]}`, []string{"a", "/b"}},
		{schema.TypeNumber, `1`, nil},
	} {
		var got []string
		err := Leaf{Field: &schema.Field{Type: tt.kind}, Raw: jsontext.Value(tt.raw)}.Strings(func(s string) { got = append(got, s) })
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, %v; want %q", tt.raw, got, err, tt.want)
		}
	}
}

// FuzzReadable feeds anything to the readers of prose: they answer with text, whatever the syntax.
func FuzzReadable(f *testing.F) {
	for _, seed := range []string{"# a\n\n**b** <i>c</i> ![d](/ast_01h455vb4pex5vsknk084sn02q)", "<script>x", "<pre> a\n b", "| a |\n|--|\n| b |", "&#0;&bogus;\x00", "<title>x</title>", "[a]: b\n[a]"} {
		f.Add(seed)
	}
	field := &schema.Field{Type: schema.TypeMarkdown}
	f.Fuzz(func(t *testing.T, source string) {
		if !utf8.ValidString(source) {
			return
		}
		leaf := Leaf{Path: "f", Field: field, Raw: quoted(t, source)}
		reading, err := leaf.Read()
		text := reading.Text
		if err != nil || !utf8.ValidString(text) {
			t.Fatalf("%q reads %q, %v", source, text, err)
		}
		if _, err := leaf.Alts(reading); err != nil {
			t.Fatal(err)
		}
		_ = CountWords(text)
		if NewTerm(text).folded != "" && !NewText(text).Holds(NewTerm(text)) {
			t.Fatalf("%q does not hold itself", text)
		}
	})
}
