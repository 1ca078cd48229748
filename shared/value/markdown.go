package value

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	xhtml "golang.org/x/net/html"
)

// markdown is the dialect of markdown fields: CommonMark with tables, strikethrough, task lists and bare links. HTML in
// it is kept, since what is looked at is the text between its tags.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))

// picture is an image of a prose text.
type picture struct{ src, alt string }

// prose is what a reader of a markdown text sees: its text without syntax, link targets and hidden HTML, white space as
// a page shows it and a line break between blocks; and its images.
type prose struct {
	text     string
	pictures []picture
}

// readMarkdown reads a markdown text: the plain ones directly, which the page would show no differently.
func readMarkdown(source []byte) (prose, error) {
	if p, ok := readPlain(source); ok {
		return p, nil
	}
	return readPage(source)
}

// readPage reads a markdown text as the page that it becomes.
func readPage(source []byte) (prose, error) {
	var page bytes.Buffer
	if err := markdown.Convert(source, &page); err != nil {
		return prose{}, err
	}
	r := pageReader{tokens: xhtml.NewTokenizer(&page)}
	for r.next() {
	}
	return prose{r.lines.String(), r.pictures}, nil
}

// pageReader takes the text out of HTML.
type pageReader struct {
	tokens   *xhtml.Tokenizer
	lines    lines
	pictures []picture
	hidden   string // the element whose content nobody sees, while in it
	verbatim int    // how deep in elements that keep their white space
}

// next reads one token; false at the end. Reading from memory, the tokenizer fails in no other way.
func (r *pageReader) next() bool {
	switch kind := r.tokens.Next(); kind {
	case xhtml.ErrorToken:
		return false
	case xhtml.TextToken:
		if r.hidden == "" {
			r.lines.add(string(r.tokens.Text()), r.verbatim > 0)
		}
	case xhtml.StartTagToken, xhtml.SelfClosingTagToken, xhtml.EndTagToken:
		name, _ := r.tokens.TagName()
		r.tag(string(name), kind)
	}
	return true
}

func (r *pageReader) tag(name string, kind xhtml.TokenType) {
	switch {
	case name == "script" || name == "style" || name == "template":
		if kind == xhtml.StartTagToken && r.hidden == "" {
			r.hidden = name
		} else if kind == xhtml.EndTagToken && r.hidden == name {
			r.hidden = ""
		}
	case r.hidden != "":
	case name == "img" || name == "image":
		r.pictures = append(r.pictures, r.picture())
	case name == "pre":
		r.lines.end()
		if kind == xhtml.StartTagToken {
			r.verbatim++
		} else if r.verbatim > 0 {
			r.verbatim--
		}
	case name == "td" || name == "th":
		r.lines.space()
	case !inline[name]:
		r.lines.end()
	}
}

// picture reads the attributes of an image; of one that is given twice the first counts.
func (r *pageReader) picture() picture {
	var p picture
	var hasSrc, hasAlt bool
	for more := true; more; {
		var key, val []byte
		key, val, more = r.tokens.TagAttr()
		switch {
		case string(key) == "src" && !hasSrc:
			p.src, hasSrc = string(val), true
		case string(key) == "alt" && !hasAlt:
			p.alt, hasAlt = string(val), true
		}
	}
	return p
}

// inline are the elements that do not end a line of text; unknown ones do.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "del": true,
	"dfn": true, "em": true, "font": true, "i": true, "input": true, "ins": true, "kbd": true, "label": true, "mark": true,
	"q": true, "rp": true, "rt": true, "ruby": true, "s": true, "samp": true, "small": true, "span": true, "strong": true,
	"sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}

// lines puts text together as a page shows it: white space is one space, and blocks stand on lines of their own.
type lines struct {
	b     strings.Builder
	gap   bool // white space comes before the next text
	ended bool // the next text starts a line
}

func (l *lines) String() string { return l.b.String() }

func (l *lines) space() { l.gap = true }

func (l *lines) end() { l.ended = true }

// add appends text; verbatim text keeps its white space.
func (l *lines) add(text string, verbatim bool) {
	if verbatim {
		l.begin()
		l.b.WriteString(strings.TrimRight(text, "\n"))
		return
	}
	for i := 0; i < len(text); {
		if isSpace(text[i]) {
			l.gap = true
			i++
			continue
		}
		start := i
		for i < len(text) && !isSpace(text[i]) {
			i++
		}
		l.begin()
		l.b.WriteString(text[start:i])
	}
}

// begin writes what separates the next text from the last.
func (l *lines) begin() {
	if l.b.Len() > 0 && l.ended {
		l.b.WriteByte('\n')
	} else if l.b.Len() > 0 && l.gap {
		l.b.WriteByte(' ')
	}
	l.gap, l.ended = false, false
}

// isSpace tells the white space that pages collapse; a no-break space is not among it.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
