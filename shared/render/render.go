// Package render makes HTML of markdown fields, as readers get them with representation=rendered ("Content read API" of
// the interface).
//
// The dialect is GitHub's: CommonMark with tables, task lists, strikethrough and bare links. HTML in a text is kept as far
// as it is safe: a list of elements and attributes decides, after rendering, what stays. Headings get an id made of their
// text, so that a page can link to its parts.
package render

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.Linkify, extension.Strikethrough, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	),
	goldmark.WithRendererOptions(html.WithUnsafe()), // the policy decides what of it stays
)

// Page renders the markdown of one response. Its zero value is ready to use.
type Page struct {
	ids map[string]bool // of headings so far
}

// Markdown returns the HTML of a markdown text. Ids of headings are unique within the page.
func (p *Page) Markdown(source []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := markdown.Convert(source, &out); err != nil {
		return nil, fmt.Errorf("rendering markdown: %w", err)
	}
	return p.finish(policy.SanitizeBytes(out.Bytes()))
}

// policy lists what HTML may contain. It has no ids, names, classes of the page, styles and scripts.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "div", "section", "article", "aside", "header", "footer", "figure", "figcaption",
		"blockquote", "pre", "code", "kbd", "samp", "var", "em", "strong", "b", "i", "u", "s", "del", "ins", "mark", "small", "sub", "sup",
		"abbr", "cite", "dfn", "q", "span", "bdi", "bdo", "wbr", "ruby", "rb", "rp", "rt", "details", "summary",
		"ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
	)
	p.AllowAttrs("title").Globally()
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`^[a-zA-Z0-9-]{1,35}$`)).Globally()
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()

	p.AllowURLSchemes("http", "https", "mailto", "tel")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src", "alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(bluemonday.NumberOrPercent).OnElements("img")
	p.AllowAttrs("cite").OnElements("blockquote", "q", "del", "ins")

	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[\p{L}\p{N}_+#.-]+$`)).OnElements("code")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked").OnElements("input")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(?:left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("th", "td")
	return p
}()
