package value

import (
	"bufio"
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	xhtml "golang.org/x/net/html"
)

// markdown is the dialect of markdown fields: CommonMark with tables, strikethrough, task lists and bare links.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()

// picture is an image of a prose text.
type picture struct{ src, alt string }

// prose collects what a reader of a markdown text sees: its text without syntax, link targets and hidden HTML, white space
// as a page shows it and a line break between blocks; and its images.
type prose struct {
	lines
	source   []byte
	pictures []picture
	hidden   string // the HTML element whose content no one sees, while in it
}

// read collects what a markdown text shows.
func (p *prose) read(source []byte) error {
	p.source = source
	return ast.Walk(markdown.Parse(text.NewReader(source)), p.visit)
}

// visit takes one node of the parsed text.
func (p *prose) visit(node ast.Node, entering bool) (ast.WalkStatus, error) {
	if p.err != nil {
		return ast.WalkStop, p.err
	}
	if !entering {
		if node.Type() == ast.TypeBlock {
			p.separate(node)
		}
		return ast.WalkContinue, nil
	}
	switch n := node.(type) {
	case *ast.Text:
		p.show(unescape(n.Segment.Value(p.source)))
		if n.HardLineBreak() {
			p.line()
		} else if n.SoftLineBreak() {
			p.space()
		}
	case *ast.CodeSpan:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			p.show(c.(*ast.Text).Segment.Value(p.source))
		}
		return ast.WalkSkipChildren, nil
	case *ast.AutoLink:
		p.show(n.Label(p.source))
	case *ast.Image:
		if p.each != nil {
			return ast.WalkSkipChildren, nil
		}
		alt := prose{source: p.source}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if err := ast.Walk(c, alt.visit); err != nil {
				return ast.WalkStop, err
			}
		}
		if p.hidden == "" {
			p.pictures = append(p.pictures, picture{string(n.Destination), alt.String()})
		}
		return ast.WalkSkipChildren, nil
	case *ast.RawHTML:
		p.html(n.Segments.Value(p.source))
	case *ast.HTMLBlock:
		p.end()
		block := n.Lines().Value(p.source)
		if n.HasClosure() {
			block = append(block, n.ClosureLine.Value(p.source)...)
		}
		p.html(block)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		p.end()
		if p.hidden == "" {
			p.verbatim(n.Lines().Value(p.source))
		}
	default:
		if n.Type() == ast.TypeBlock {
			p.separate(n)
		}
	}
	return ast.WalkContinue, nil
}

// separate parts a block from what stands before and after it.
func (p *prose) separate(n ast.Node) {
	if n.Kind() == extast.KindTableCell {
		p.cell()
	} else {
		p.end()
	}
}

func (p *prose) show(text []byte) {
	if p.hidden == "" {
		p.add(text)
	}
}

// unescape resolves backslashes and entities.
func unescape(source []byte) []byte {
	if bytes.IndexByte(source, '\\') < 0 && bytes.IndexByte(source, '&') < 0 {
		return source
	}
	var page bytes.Buffer
	w := bufio.NewWriter(&page)
	html.DefaultWriter.Write(w, source)
	_ = w.Flush() // into memory
	return []byte(xhtml.UnescapeString(page.String()))
}

// html takes the text between the tags of HTML, and its images.
func (p *prose) html(source []byte) {
	for tokens := xhtml.NewTokenizer(bytes.NewReader(source)); ; {
		switch kind := tokens.Next(); kind {
		case xhtml.ErrorToken: // the end: reading from memory does not fail
			return
		case xhtml.TextToken:
			p.show(tokens.Text())
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken, xhtml.EndTagToken:
			p.tag(tokens.Token())
		}
	}
}

func (p *prose) tag(t xhtml.Token) {
	switch {
	case t.Data == "script" || t.Data == "style" || t.Data == "template":
		if t.Type == xhtml.StartTagToken && p.hidden == "" {
			p.hidden = t.Data
		} else if t.Type == xhtml.EndTagToken && p.hidden == t.Data {
			p.hidden = ""
		}
	case p.hidden != "":
	case t.Data == "img" || t.Data == "image":
		var image picture
		for _, a := range t.Attr {
			switch a.Key {
			case "src":
				image.src = a.Val
			case "alt":
				image.alt = a.Val
			}
		}
		p.pictures = append(p.pictures, image)
	case t.Data == "td" || t.Data == "th":
		p.cell()
	case t.Data == "br":
		p.line()
	case !inline[t.Data]:
		p.end()
	}
}

// inline are the elements that do not end a line of text; unknown ones do.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "del": true,
	"dfn": true, "em": true, "font": true, "i": true, "input": true, "ins": true, "kbd": true, "label": true, "mark": true,
	"q": true, "rp": true, "rt": true, "ruby": true, "s": true, "samp": true, "small": true, "span": true, "strong": true,
	"sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}
