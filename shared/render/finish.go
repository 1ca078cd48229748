package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// finish gives headings their ids, makes inputs check boxes that cannot be changed, and ends what a text began: an end tag that ends
// nothing is left out, so that the HTML stays inside of the element that a page puts it in.
func (p *Page) finish(safe []byte) ([]byte, error) {
	w := finisher{page: p, nested: map[string]int{}}
	for z := html.NewTokenizer(bytes.NewReader(safe)); ; {
		kind := z.Next()
		raw := string(z.Raw())
		token := z.Token()
		switch {
		case kind == html.ErrorToken:
			w.end(0)
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("reading rendered markdown: %w", err)
			}
			return w.out.Bytes(), nil
		case kind == html.TextToken:
			w.text(raw, token.Data)
		case kind == html.EndTagToken:
			w.endInnermost(func(name string) bool { return name == token.Data }, w.nested[token.Data] > 0)
		case token.Data == "input":
			w.write(checkbox(token))
		default: // with a slash at its end too, which browsers ignore
			w.begin(raw, token.Data)
		}
	}
}

// finisher writes the tokens of a page.
type finisher struct {
	page   *Page
	out    bytes.Buffer
	open   []string       // the elements that have begun and not ended
	nested map[string]int // how many of each name are open

	// heading is the tag of the heading that is open, and empty if none is. Its content goes to inner until its id is known.
	heading string
	inner   bytes.Buffer
	words   strings.Builder // of the heading
}

func (w *finisher) write(raw string) {
	if w.heading != "" {
		w.inner.WriteString(raw)
	} else {
		w.out.WriteString(raw)
	}
}

func (w *finisher) text(raw, words string) {
	w.write(raw)
	if w.heading != "" {
		w.words.WriteString(words)
	}
}

// begin takes a start tag. Headings are not nested, and paragraphs end where browsers end them: before blocks.
func (w *finisher) begin(raw, name string) {
	if blocks[name] {
		w.endInnermost(func(name string) bool { return name == "p" }, w.nested["p"] > 0)
	}
	if isHeading(name) {
		w.endInnermost(isHeading, w.heading != "")
		w.heading = raw
	} else {
		w.write(raw)
	}
	if isVoid(name) {
		return
	}
	w.open = append(w.open, name)
	w.nested[name]++
}

// endInnermost ends the innermost element that is meant, if there is one. It looks at no more elements than it ends.
func (w *finisher) endInnermost(isMeant func(name string) bool, there bool) {
	if !there {
		return
	}
	for at, name := range slices.Backward(w.open) {
		if isMeant(name) {
			w.end(at)
			return
		}
	}
}

// end ends the open elements from the innermost to the one at this index.
func (w *finisher) end(at int) {
	for _, name := range slices.Backward(w.open[at:]) {
		if isHeading(name) {
			const tag = len("<h1")
			fmt.Fprintf(&w.out, `%s id="%s"%s%s`, w.heading[:tag], html.EscapeString(w.page.id(w.words.String())), w.heading[tag:], w.inner.Bytes())
			w.heading = ""
			w.inner.Reset()
			w.words.Reset()
		}
		w.write("</" + name + ">")
		w.nested[name]--
	}
	w.open = w.open[:at]
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
}

// blocks are those of the elements that the policy lets through which no paragraph can hold.
var blocks = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq("h1 h2 h3 h4 h5 h6 p hr div section article aside header footer figure figcaption blockquote pre details summary ul ol li dl dt dd table") {
		all[name] = true
	}
	return all
}()

// isVoid reports whether an element that the policy lets through has no content and no end tag.
func isVoid(name string) bool { return slices.Contains([]string{"br", "hr", "img", "wbr"}, name) }

// checkbox is what becomes of an input: HTML in a text may only have what a task list makes.
func checkbox(token html.Token) string {
	is, checked := false, ""
	for _, a := range token.Attr {
		switch a.Key {
		case "type":
			is = true // the policy lets only checkbox through
		case "checked":
			checked = ` checked=""`
		}
	}
	if !is {
		return ""
	}
	return `<input type="checkbox"` + checked + ` disabled="">`
}
