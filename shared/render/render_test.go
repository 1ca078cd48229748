package render

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"prose", "A *b* **c** `d` ~~e~~\n\nnext", "<p>A <em>b</em> <strong>c</strong> <code>d</code> <del>e</del></p>\n<p>next</p>\n"},
		{"headings", "# One\n## One\n### Ünïcode & 東京!\n", "<h1 id=\"one\">One</h1>\n<h2 id=\"one-1\">One</h2>\n<h3 id=\"ünïcode--東京\">Ünïcode &amp; 東京!</h3>\n"},
		{"a heading with marks", "## The `code` of *law* [here](/x)", "<h2 id=\"the-code-of-law-here\">The <code>code</code> of <em>law</em> <a href=\"/x\">here</a></h2>\n"},
		{"a heading of symbols", "# ***\n# —\n#\n", "<h1 id=\"section\">***</h1>\n<h1 id=\"section-1\">—</h1>\n<h1 id=\"section-2\"></h1>\n"},
		{"a heading that a document has a property for", "# Location\n# Cookie\n# constructor", "<h1 id=\"location-1\">Location</h1>\n<h1 id=\"cookie-1\">Cookie</h1>\n<h1 id=\"constructor-1\">constructor</h1>\n"},
		{"a heading in HTML, with an id of its own", "<h2 id=\"body\" onclick=\"x()\">Raw</h2>", "<h2 id=\"raw\">Raw</h2>"},
		{"headings that do not end", "<h1>a<h2>b", "<h1 id=\"a\">a</h1><h2 id=\"b\">b</h2>"},
		{"a task list", "- [x] done\n- [ ] open\n", "<ul>\n<li><input type=\"checkbox\" checked=\"\" disabled=\"\"> done</li>\n<li><input type=\"checkbox\" disabled=\"\"> open</li>\n</ul>\n"},
		{"other inputs", "<input name=\"a\"><input type=\"text\"><input type=\"checkbox\" name=\"b\">", "<p><input type=\"checkbox\" disabled=\"\"></p>\n"},
		{"a table", "| a | b |\n|:--|--:|\n| 1 | 2 |\n", "<table>\n<thead>\n<tr>\n<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"left\">1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>\n"},
		{"code with a language", "```go\na < b\n```\n", "<pre><code class=\"language-go\">a &lt; b\n</code></pre>\n"},
		{"bare links", "www.svc.example and https://svc.example/?a=1&b=2", "<p><a href=\"http://www.svc.example\">www.svc.example</a> and <a href=\"https://svc.example/?a=1&amp;b=2\">https://svc.example/?a=1&amp;b=2</a></p>\n"},
		{"an image with its alt text", "![a \"b\"](/x.png \"title\")", "<p><img src=\"/x.png\" alt=\"a &#34;b&#34;\" title=\"title\"></p>\n"},
		{"scripts and styles", "a<script>alert(1)</script><style>p{}</style><p style=\"x\" class=\"y\" id=\"z\">b", "<p>a</p><p>b</p>\n"},
		{"schemes", "[a](javascript:alert(1)) [b](data:text/html,x) [c](JaVaScRiPt:x) [d](mailto:a@svc.example)", "<p>a b c <a href=\"mailto:a@svc.example\">d</a></p>\n"},
		{"safe HTML", "x<sup>2</sup> <kbd>Ctrl</kbd>\n\n<details open><summary>s</summary>t</details>", "<p>x<sup>2</sup> <kbd>Ctrl</kbd></p>\n<details open=\"\"><summary>s</summary>t</details>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := new(Page).Markdown([]byte(c.source))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestIDsAreUniqueInAPage(t *testing.T) {
	var p Page
	first, _ := p.Markdown([]byte("# A\n# A"))
	second, _ := p.Markdown([]byte("# A-1\n# A"))
	if got := string(first) + string(second); got != "<h1 id=\"a\">A</h1>\n<h1 id=\"a-1\">A</h1>\n<h1 id=\"a-1-1\">A-1</h1>\n<h1 id=\"a-2\">A</h1>\n" {
		t.Error(got)
	}
}

// TestPagesAreBounded: markdown whose HTML would make the page too large is refused, however small its source is.
func TestPagesAreBounded(t *testing.T) {
	for _, c := range []struct {
		name, source string
		fits         bool
	}{
		{"one address", "[x]: /" + strings.Repeat("a", 1000) + "\n\n[x]", true},
		{"one address for many links", "[x]: /" + strings.Repeat("a", 1000) + "\n\n" + strings.Repeat("[x] ", 5), false},
		{"one address for many images", "[x]: /" + strings.Repeat("a", 1000) + "\n\n" + strings.Repeat("![x] ", 5), false},
		{"tags", strings.Repeat("*\n", 1000), false},
	} {
		p := Page{size: maxHTML - 4096}
		if _, err := p.Markdown([]byte(c.source)); errors.Is(err, ErrTooLarge) == c.fits {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	p := Page{size: maxHTML - 20}
	if _, err := p.Markdown([]byte("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Markdown([]byte("another")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a second text of a page: %v", err)
	}
}

// FuzzMarkdown checks that whatever a text holds, its HTML has no script, no handler, no address that runs code, and no
// id that is not a heading's.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# a\n\n<b onclick=x>", "<svg><script>alert(1)</script></svg>", "<math><mi xlink:href=javascript:x>", "[a](&#106;avascript:x)", "<a href=\"java\nscript:x\">",
		"<img src=x onerror=alert(1)>", "<h1><h2></h1><input type=checkbox>", "<!--<script>-->", "`<script>`", "<p/onclick=x>", "\x00<\xff", "<noscript><p title=\"</noscript><img src=x onerror=x>\">",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		out, err := new(Page).Markdown([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(strings.NewReader(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if strings.Contains(" script style iframe object embed form link meta base svg math template ", " "+n.Data+" ") {
				t.Errorf("%q has a %s: %q", source, n.Data, out)
			}
			for _, a := range n.Attr {
				scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), ":")
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "name" || a.Key == "id" && !isHeading(n.Data) ||
					(a.Key == "href" || a.Key == "src" || a.Key == "cite") && (scheme == "javascript" || scheme == "data" || scheme == "vbscript") {
					t.Errorf("%q has %s=%q: %q", source, a.Key, a.Val, out)
				}
			}
		}
	})
}
