package value

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/testrand"
)

// agree fails where the plain reader reads another text than the page shows; it reports whether it read any.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, source string) bool {
	t.Helper()
	plain, ok := readPlain([]byte(source))
	if !ok {
		return false
	}
	page, err := readPage([]byte(source))
	if err != nil || plain.text != page.text || !slices.Equal(plain.pictures, page.pictures) {
		t.Fatalf("%q is read as %q, and the page shows %q, %v", source, plain, page, err)
	}
	return true
}

// What the plain reader must read, for it to be worth anything, and what it must leave to the parser.
func TestPlainMarkdown(t *testing.T) {
	for _, source := range []string{
		"", "\n\n", "One line", "One\ntwo\n\nthree", "# A heading\ntext\n## Another *one*\n", "- one\n- two **bold**\n\n* three\n+ four\nlazy",
		"1. one\n2. two\n\n3) three\n", "text\n- item", "a [link](https://example.com/x_y#z) here", "`code * _ <b> & \\` and snake_case", "```go\n\tif a < b && c {\n\n\t}\n```\nafter",
		"```\n```", "```\n\n```", "a & b < c", "Größe – “quoted” 日本", "(in brackets) 3 apples: yes!", "2026 was", "**Note:** x", "```ts twoslash {1}\nx\n```", "- [a link](b)\n",
		"a *b*, **c d**.", "![x](/assets/y.png)", "a![Two cats](b?c=d#e)b ![x](y)\n- ![x](y)", "(*é*)", ":::note\nx", "[`ab` c](~/d)", "**größe**, x", "1. [ab](c)",
	} {
		if !agree(t, source) {
			t.Errorf("%q is left to the parser", source)
		}
	}
	for _, source := range []string{
		"![](y)", "![x](y%zz)", "![*x*](y)", "![x][y]", "<b>x</b>", "a<br>b", "a  \nb", "a\\\nb", "| a |\n|---|", "a\n===", "a\n---", "---", "* * *", "> q", "    code", "\tcode", "- a\n  - b", "- - a", "- # a",
		"[x]: /y\n\n[x]", "- [x] done", "- [ ](y)", "~~a~~", "&amp;", "https://example.com", "a@b.c", "www.example.com", "*a", "a*b*", "*a*b", "_a_", "``a``", "` a `", "```\nx", "~~~\nx\n~~~",
		"```\n x\n  ```\n```", "a\n2. b", "- a\n2. b", "#a", "## a ##", "[a *b](c*)", "[a](<b>)", "[a](b 'c')", "***a***", "a\rb", "\x00", "a\xff", "1.", "-", "[a\nb](c)", "[*a*](b)", "Costs 5 * 3", "**a:**b", "**\"a\"** b", "a **b", "**a*", "[a `b](c`)", ":--\n", "word`a@b.de`",
	} {
		if agree(t, source) {
			t.Errorf("%q is not left to the parser", source)
		}
	}
}

// Whatever the plain reader reads is what the page shows.
func TestPlainMarkdownIsReadAsThePageShowsIt(t *testing.T) {
	pieces := []string{
		"word", "**a b:** ", "**é**", "*a.*", "*a*)", "(*a*", "[`a`](b)", "[`a", "`]", "::", ":-", "~/", "**", "two words", "é", "–", "1", "10", ".", ")", "(", " ", "  ", "\n", "\n\n", "\n\n\n", "# ", "## ", "####### ", "#", "- ", "* ", "+ ", "1. ", "2) ", "1.", "*", "**", "*a*", "**b c**", "_", "__",
		"`", "``", "```\n", "\n```\n", "```go\n", "\n```", "~~~\n", "[", "]", "](", "[ab](c)", "![x](y)", "![ab](c%d)", "![ab", "[ab](c/d_e*f)", "[x]", "[ ]", ":", "]:", "!", "![", "<", "> ", "<b>", "</b>", "<br>", "<!--", "-->", "&", "&amp;", "\\",
		"|", "|---|", "---", "===", "\n---\n", "\n===\n", "~", "~~", "@", "a@b.de", "://", "https://x.yz", "www.x.yz", "ftp", "\t", "\r\n", "    ", "\u00a0", "\u3000", "\u2028", "\ufeff", "\"", "'", "=", "%", "snake_case", ",", ";", "?", "$", "^", "{", "}", "/",
	}
	taken := 0
	testrand.Check(t, func(t *rapid.T) {
		if agree(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")) {
			taken++
		}
	})
	if taken < 10 {
		t.Errorf("the plain reader took %d texts only", taken)
	}
}

func FuzzPlainMarkdown(f *testing.F) {
	for _, source := range []string{"# a *b*\n\n- [cd](e)\n1. `f`\n\n```go\ng\n```\n", "a\n- b\nc", "**a b**, c_d & e < f", "* a\n\n2) b"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) { agree(t, source) })
}
