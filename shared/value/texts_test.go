package value

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestTextsAreWhatReadersSee(t *testing.T) {
	c := collection(t, `"title":{"type":"text","localized":true},"slug":{"type":"slug"},"body":{"type":"markdown"},"rich":{"type":"richText"},"data":{"type":"json"},`+
		`"tags":{"type":"list","of":{"type":"text"}},"notes":{"type":"list","of":{"type":"markdown"}},"seo":{"type":"object","fields":{"title":{"type":"text"},"n":{"type":"number"},"more":{"type":"object","fields":{"t":{"type":"text"}}}}},`+
		`"parts":{"type":"blocks","allowed":[{"key":"p","fields":{"text":{"type":"markdown"}}}]},"n":{"type":"number"},"on":{"type":"date"},"ref":{"type":"reference","to":"c"},"pic":{"type":"asset"}`)
	para := func(s string) string {
		return `{"type":"paragraph","content":[{"type":"text","text":"` + s + `"}]}`
	}
	for _, tt := range []struct{ name, in, locale, want string }{
		{"text and slugs", `{"title":{"en":"A title"},"slug":"a-title"}`, "", "A title|a-title"},
		{"every locale", `{"title":{"de":"y","en":"x","fr":null}}`, "", "y|x"},
		{"the locale that is read", `{"title":{"de":"y","en":"x"}}`, "de", "y"},
		{"the default locale where a locale has none", `{"title":{"de":"y","en":"x"},"slug":"s"}`, "fr", "x|s"},
		{"no value in either", `{"title":{"de":"y"}}`, "fr", ""},
		{"a plain value of a localized field", `{"title":"x"}`, "de", "x"},
		{"an empty text is none", `{"title":"","tags":["","a"]}`, "", "a"},
		{"each block of markdown", `{"body":"# One *two*\n\nthree\nfour\\\nfive [six](/seven)\n\n- eight\n- nine\n\n> ten"}`, "", "One two|three four five six|eight|nine|ten"},
		{"each cell of a table", `{"body":"| a b | c |\n|---|---|\n| d | e f |"}`, "", "a b|c|d|e f"},
		{"code", `{"body":"a` + "`b`" + `\n\n` + "```go\\nx := 1\\ny()\\n```" + `"}`, "", "ab|x := 1\ny()"},
		{"HTML, and what it hides", `{"body":"<p>a<br>b</p><p>c</p><script>d</script>\n\n<table><tr><td>e</td><td>f</td></tr></table>\n\ng <kbd>h</kbd> &amp; i ![alt](/x)"}`, "", "a b|c|e|f|g h & i"},
		{"each block of richText", `{"rich":{"type":"doc","content":[` + para("a") + `,{"type":"paragraph","content":[{"type":"text","text":"b"},{"type":"hardBreak"},{"type":"text","text":"c"}]},{"type":"list","content":[{"type":"item","content":[` + para("d") + `]},{"type":"item","content":[` + para("e") + `]}]}]}}`, "", "a|b c|d|e"},
		{"strings of json, not its names", `{"data":{"name":["a",{"b":"c"},1,true,null],"d":"e \"f\""}}`, "", `a|c|e "f"`},
		{"members of lists, objects and blocks", `{"tags":["a b","c"],"notes":["*d*","e\n\nf"],"seo":{"title":"g","n":5,"more":{"t":"h"}},"parts":[{"type":"p","fields":{"text":"i"}},{"type":"gone","fields":{"text":"j"}}]}`, "", "a b|c|d|e|f|g|h|i"},
		{"no numbers, dates and ids", `{"n":5,"on":"2026-01-01","ref":"ent_01h455vb4pex5vsknk084sn02q","pic":"ast_01h455vb4pex5vsknk084sn02q"}`, "", ""},
		{"what is not declared", `{"title":"x","other":"y","seo":{"z":"z"}}`, "", "x"},
		{"values of another type", `{"title":5,"body":["x"],"rich":"x","seo":"x","tags":"x","parts":{"a":"x"}}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for text, err := range Texts(c, german, tt.locale, jsontext.Value(tt.in)) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, text)
			}
			if joined := strings.Join(got, "|"); joined != tt.want {
				t.Errorf("got  %q\nwant %q", joined, tt.want)
			}
		})
	}
}

// TestTextsEndWhereNoOneWantsMore: nothing is passed after the loop ended, and a broken form is told at the end.
func TestTextsEndWhereNoOneWantsMore(t *testing.T) {
	c := collection(t, `"body":{"type":"markdown"},"tags":{"type":"list","of":{"type":"text"}},"data":{"type":"json"}`)
	whole := jsontext.Value(`{"body":"a\n\nb\n\nc","tags":["d","e"],"data":["f","g"]}`)
	for n := range 7 {
		var got []string
		for text := range Texts(c, german, "", whole) {
			if got = append(got, text); len(got) > n {
				break
			}
		}
		if want := []string{"a", "b", "c", "d", "e", "f", "g"}[:n+1]; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	var last error
	for _, err := range Texts(c, german, "", whole[:len(whole)-9]) {
		last = err
	}
	if !errors.Is(last, ErrForm) {
		t.Errorf("a broken form: %v", last)
	}
}

func BenchmarkTexts(b *testing.B) {
	c := collection(b, `"body":{"type":"markdown"},"text":{"type":"text"},"tags":{"type":"list","of":{"type":"text"}}`)
	prose := strings.Repeat("Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor. ", 5)
	marked := "# A heading\n\nLorem *ipsum* dolor sit **amet**, [consectetur](https://svc.example/x) elit.\n\n- one\n- two `code`\n\n" + prose + "\n\n"
	for name, source := range map[string]string{"prose": strings.Repeat(prose+"\n\n", 10), "marked": strings.Repeat(marked, 8)} {
		quoted, err := jsontext.AppendQuote(nil, source)
		if err != nil {
			b.Fatal(err)
		}
		fields := jsontext.Value(`{"body":` + string(quoted) + `,"text":"A short text","tags":["a","b","c"]}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range Texts(c, german, "", fields) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
