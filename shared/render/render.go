// Package render makes HTML of markdown fields, as readers get them with representation=rendered ("Content read API" of
// the interface).
//
// The dialect is GitHub's: CommonMark with tables, task lists, strikethrough and bare links. HTML in a text is kept as far
// as it is safe: a list of elements and attributes decides, after rendering, what stays. Headings get an id made of their
// text, so that a page can link to its parts.
//
// HTML may be much larger than its source: thousands of references can share one long address. So a page has a bound, and what
// would exceed it is ErrTooLarge before it is written.
package render

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.Linkify, extension.Strikethrough, extension.TaskList,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
	),
	goldmark.WithRendererOptions(html.WithUnsafe()), // the policy decides what of it stays
)

// maxHTML bounds the HTML of a page, in bytes.
const maxHTML = 32 << 20

// ErrTooLarge says that the HTML of a page would be larger than 32 MiB.
var ErrTooLarge = errors.New("the HTML of the markdown is larger than 32 MiB")

// Page renders the markdown of one entry in a response. Its zero value is ready to use.
type Page struct {
	ids  map[string]bool // of headings so far
	size int             // of the HTML so far, before it was made safe
}

// Markdown returns the HTML of a markdown text. Ids of headings are unique within the page. The error is ErrTooLarge where the
// page would get too large.
func (p *Page) Markdown(source []byte) ([]byte, error) {
	document := markdown.Parser().Parse(text.NewReader(source))
	if addresses(document) > maxHTML-p.size {
		return nil, ErrTooLarge
	}
	out := bounded{left: maxHTML - p.size}
	if err := markdown.Renderer().Render(&out, source, document); err != nil {
		return nil, fmt.Errorf("rendering markdown: %w", err)
	}
	p.size += out.Len()
	return p.finish(policy.SanitizeBytes(out.Bytes()))
}

// addresses is the length of the addresses and titles of all links and images. Links by reference share theirs.
func addresses(document ast.Node) (n int) {
	// The walk ends early with an error of the visitor alone, and this one has none.
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch node := node.(type) {
			case *ast.Link:
				n += len(node.Destination) + len(node.Title)
			case *ast.Image:
				n += len(node.Destination) + len(node.Title)
			}
		}
		return ast.WalkContinue, nil
	})
	return n
}

// bounded is a buffer that takes no more than left bytes.
type bounded struct {
	bytes.Buffer
	left int
}

// Write implements io.Writer.
func (b *bounded) Write(text []byte) (int, error) {
	if b.left -= len(text); b.left < 0 {
		return 0, ErrTooLarge
	}
	return b.Buffer.Write(text)
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
