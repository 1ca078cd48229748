package cli

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gmtext "github.com/yuin/goldmark/text"

	"svc/core/diff"
	"svc/core/wire"
	"svc/shared/content"
)

func jsonText(text string) jsontext.Value {
	raw, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic(err)
	}
	return raw
}

func changed(before, after string) wire.Change {
	c := wire.Change{Path: "fields.body", Before: jsonText(before), After: jsonText(after), Kind: "changed"}
	for _, s := range diff.Segments(before, after) {
		c.Segments = append(c.Segments, wire.Segment{Op: string(s.Op), Value: s.Value})
	}
	return c
}

// In full, the lines of a comparison without its marks are both texts.
func TestTheLinesOfAComparisonAreBothTexts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 1))
	words := []string{"one", "two ", " three", "\n", "\n\n", "\n", "春", "*", " "}
	text := func() string {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(words[random.IntN(len(words))])
		}
		return b.String()
	}
	for range 3000 {
		before, after := text(), text()+"end"
		var was, is []string
		for _, b := range compare(changed(before, after), true).blocks {
			for _, l := range b.lines() {
				line := ""
				for _, r := range l.runs {
					line += r.text
				}
				if line = strings.TrimSuffix(line, "↵"); l.mark != inserted {
					was = append(was, line)
				}
				if l.mark != deleted {
					is = append(is, line)
				}
			}
		}
		end := func(text string) string { return strings.TrimRight(text, "\n") }
		if end(strings.Join(was, "\n")) != end(before) || end(strings.Join(is, "\n")) != end(after) {
			t.Fatalf("%q and %q are shown as %q and %q", before, after, was, is)
		}
	}
}

func TestOfUnchangedTextOnlyTheNearestWordsAreShown(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("A line of unchanged text.\n\n", 9)
	words := strings.Repeat("unchanged words ", 30)
	kanji := strings.Repeat("春の号", 60)
	for _, tt := range []struct {
		name, text     string
		before, behind bool
		want           string
	}{
		{"short text", "a few\n\nwords", true, true, "a few\n\nwords"},
		{"between whole lines", "\n\n" + lines, true, true, "\n\nA line of unchanged text.\n…\nA line of unchanged text.\n\n"},
		{"between parts of lines", " end.\n\n" + lines + "Begin ", true, true, " end.\n…\nBegin "},
		{"inside a line", words, true, true, "unchanged words unchanged words unchanged words unchanged … words unchanged words unchanged words unchanged words "},
		{"inside two lines", words + "\n\n" + words, true, true, "unchanged words unchanged words unchanged words unchanged …\n… words unchanged words unchanged words unchanged words "},
		{"at the beginning", lines + "End", false, true, "…\nEnd"},
		{"at the beginning of a line", words, false, true, "… words unchanged words unchanged words unchanged words "},
		{"at the end", " end." + lines, true, false, " end.A line of unchanged text.\n…\n"},
		{"without spaces", kanji, true, false, strings.Repeat("春の号", 20)[:len("春の号")*20-len("号")] + " …"},
		{"one endless word", strings.Repeat("x", 500), true, true, strings.Repeat("x", 60) + " … " + strings.Repeat("x", 60)},
	} {
		if got := shorten(tt.text, tt.before, tt.behind); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestLongValuesAreFolded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want, rest string }{
		{"twelve lines", strings.Repeat("x\n", 12), strings.Repeat("x\n", 11) + "x", ""},
		{"thirteen lines", strings.Repeat("x\n", 13), strings.Repeat("x\n", 7) + "x", "… 9 more characters in 5 lines"},
		{"a long line", strings.Repeat("word ", 201), strings.Repeat("word ", 127) + "word", "… 366 more characters"},
		{"an endless word", strings.Repeat("é", 200_000), strings.Repeat("é", 640), "… 199,360 more characters"},
		{"nothing", "", "", ""},
	} {
		first, rest := fold(tt.text)
		if first != tt.want || rest != tt.rest {
			t.Errorf("%s: %q, %q", tt.name, first, rest)
		}
	}
}

// A long object that is removed ends with its brace, in full too.
func TestAnObjectThatIsRemovedEndsWithoutAnEmptyLine(t *testing.T) {
	t.Parallel()
	object := jsontext.Value(`{"text":"` + strings.Repeat("x", listThreshold) + `"}`)
	lines, _ := whole(object, red, true)
	if last := lines[len(lines)-1]; len(lines) != 3 || last[0].text != "}" {
		t.Errorf("%d lines, the last is %q", len(lines), last)
	}
}

// Lists and objects that changed are compared line by line: what changed is seen in a long one, too.
func TestLongListsAreComparedByLine(t *testing.T) {
	t.Parallel()
	list := func(name string) jsontext.Value {
		return jsontext.Value(`[` + strings.Repeat(`{"kind":"same"},`, 200) + `{"kind":"` + name + `"},` + strings.Repeat(`{"kind":"same"},`, 200) + `1]`)
	}
	var got []string
	for _, b := range compare(wire.Change{Before: list("old"), After: list("new"), Kind: "changed"}, false).blocks {
		for _, l := range b.lines() {
			got = append(got, l.mark+l.runs[0].text)
		}
	}
	want := []string{"  …", "    {", `-     "kind": "old"`, `+     "kind": "new"`, "    },", "  …"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A long list that appears stands in lines in a diff, and in one line elsewhere.
func TestLongListsStandInLinesInADiffAlone(t *testing.T) {
	t.Parallel()
	list := jsontext.Value(`["` + strings.Repeat("x", listThreshold) + `"]`)
	lines, _ := whole(list, plain, false)
	if len(lines) != 3 || lines[0][0].text != "[" || shown(list) != string(list) {
		t.Errorf("%v and %s", lines, shown(list))
	}
	if empty, _ := whole(jsontext.Value(`""`), plain, false); len(empty) != 1 || empty[0][0].text != `""` {
		t.Errorf("an empty text is %v", empty)
	}
}

// Whatever a value holds, Markdown shows it as it is.
func TestNoValueBreaksOutOfMarkdown(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		"`", "``", "```", "~~~", "a ` b", "` ", " `` ", "````` ```", "a\n```\n# b\n````\n<b>c</b>", "  ```", "| a | b |\n|---|---|", "<script>alert(1)</script>",
		"</code></pre><h1>x</h1>", "[a](javascript:b)", "![a](b)", "# a", "- a", "+ a", "1. a", "> a", "---", "@everyone", "#1", "https://example.com",
		"a\\", "\\`", "&lt;", "fields.some_name_", " a ", "   ", "a\u2028b\u202ec", "\x1b[31m", "{{ x }}", "$x$", ":x:", "<!-- a", "    a",
	} {
		d := changeSetDiff{Items: []wire.ItemDiff{{
			Item: wire.Item{Operation: content.OperationUpdate, Collection: hostile, Slug: &hostile, ResourceID: hostile, ChangeSummary: hostile},
			Changes: []wire.Change{
				{Path: hostile, After: jsonText(hostile), Kind: "added"},
				{Path: "fields.x", Before: jsonText(hostile), After: jsonText("b"), Kind: "changed"},
				changed("a "+hostile+"\n"+hostile+" b", "b "+hostile+"\n"+hostile+" c"),
			},
		}}}
		var p page
		d.markdown(&p, true)
		one := clean(hostile)
		var lines strings.Builder
		for _, c := range d.Items[0].Changes {
			lines.WriteString("@@ " + clean(c.Path) + " @@\n")
			for _, b := range compare(c, true).blocks {
				for _, l := range b.lines() {
					text := l.mark
					for _, r := range p.marked(l.runs) {
						text += clean(r.text)
					}
					lines.WriteString(strings.TrimRight(text, " ") + "\n")
				}
			}
		}
		want := []string{"heading", "update ", "code " + one, " ", "code " + one, "paragraph", "code " + one, ": ", "code " + one, "block " + lines.String()}
		if d := cmp.Diff(want, readAsMarkdown(p.String())); d != "" {
			t.Errorf("%q is read as something else (-want +got):\n%s\n%s", hostile, d, p.String())
		}
	}
}

// readAsMarkdown is what GitHub's Markdown reads in a text.
func readAsMarkdown(markdown string) (all []string) {
	source := []byte(markdown)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gmtext.NewReader(source))
	text := func(n ast.Node) (text string) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			text += string(c.(*ast.Text).Segment.Value(source))
		}
		return text
	}
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document:
		case *ast.Heading:
			all = append(all, "heading")
		case *ast.Paragraph:
			all = append(all, "paragraph")
		case *ast.CodeSpan:
			all = append(all, "code "+text(n))
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			all = append(all, string(n.Segment.Value(source)))
		case *ast.FencedCodeBlock:
			all = append(all, "block "+string(n.Lines().Value(source)))
		default:
			all = append(all, n.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		panic(err)
	}
	return all
}
