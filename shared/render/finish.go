package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// finish gives headings their ids, and makes inputs check boxes that cannot be changed.
func (p *Page) finish(safe []byte) ([]byte, error) {
	var out, inner bytes.Buffer
	var start string // the tag of the heading that is open, whose content goes to inner
	var text strings.Builder
	end := func() {
		if start != "" {
			fmt.Fprintf(&out, `%s id="%s"%s%s`, start[:len("<h1")], html.EscapeString(p.id(text.String())), start[len("<h1"):], inner.Bytes())
		}
		start = ""
		inner.Reset()
		text.Reset()
	}
	for z := html.NewTokenizer(bytes.NewReader(safe)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			end()
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("reading rendered markdown: %w", err)
			}
			return out.Bytes(), nil
		}
		raw := string(z.Raw())
		token := z.Token()
		isTag := kind != html.TextToken
		switch {
		case isTag && isHeading(token.Data):
			end()
			if kind == html.StartTagToken {
				start = raw
				continue
			}
		case isTag && token.Data == "input":
			raw = checkbox(token)
		case !isTag && start != "":
			text.WriteString(token.Data)
		}
		if start != "" {
			inner.WriteString(raw)
		} else {
			out.WriteString(raw)
		}
	}
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
}

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
