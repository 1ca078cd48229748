package value

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Readable returns the text of a leaf as its reader sees it: of markdown and richText without syntax, marks, attributes
// and link targets, a line break between blocks; of text and slugs the value itself. Values of other types, and values
// that do not fit their field, have none.
func Readable(f *schema.Field, raw jsontext.Value) (string, error) {
	switch f.Type {
	case schema.TypeText, schema.TypeSlug:
		text, _ := unquote(raw)
		return string(text), nil
	case schema.TypeMarkdown:
		p, err := proseOf(raw)
		return p.text, err
	case schema.TypeRichText:
		var l lines
		err := readTree(&l, raw, false)
		return l.String(), err
	}
	return "", nil
}

// proseOf reads a markdown value; one of another JSON type says nothing.
func proseOf(raw jsontext.Value) (prose, error) {
	source, ok := unquote(raw)
	if !ok {
		return prose{}, nil
	}
	p, err := readMarkdown(source)
	if err != nil {
		return prose{}, fmt.Errorf("reading markdown: %w", err)
	}
	return p, nil
}

// readTree appends the text of a richText node. A node whose parent holds text itself stands in the line of that text;
// others have lines of their own.
func readTree(l *lines, raw jsontext.Value, inLine bool) error {
	if raw.Kind() != '{' {
		return nil
	}
	c, err := openObject(raw)
	if err != nil {
		return err
	}
	var kind string
	var text []byte
	var content jsontext.Value
	for c.next() {
		switch string(c.name) {
		case "type":
			name, _ := unquote(c.value)
			kind = string(name)
		case "text":
			text, _ = unquote(c.value)
		case "content":
			content = c.value
		}
	}
	switch {
	case c.err != nil:
		return c.err
	case kind == "text":
		l.begin()
		l.b.Write(text)
		return nil
	case !inLine || kind == "hardBreak":
		l.end()
	}
	if content.Kind() != '[' {
		return nil
	}
	nodes, err := Items(content)
	if err != nil {
		return err
	}
	holdsText := false
	for _, n := range nodes {
		holdsText = holdsText || isTextNode(n)
	}
	for _, n := range nodes {
		if err := readTree(l, n, holdsText); err != nil {
			return err
		}
	}
	if !inLine {
		l.end()
	}
	return nil
}

func isTextNode(raw jsontext.Value) bool {
	kind, err := memberOf(raw, "type")
	return err == nil && string(kind) == `"text"`
}

// Strings visits every string below a value that a person wrote, as it is stored: the source of markdown, of richText the
// texts and the attributes, of json the strings at any depth but for the names of members. raw is in compact form.
func Strings(f *schema.Field, raw jsontext.Value, visit func(string)) error {
	switch raw.Kind() {
	case '"':
		text, _ := unquote(raw)
		visit(string(text))
	case '[':
		c, err := openArray(raw)
		for err == nil && c.next() {
			err = Strings(f, c.value, visit)
		}
		return firstError(err, c.err)
	case '{':
		c, err := openObject(raw)
		for err == nil && c.next() {
			if f.Type == schema.TypeRichText && string(c.name) == "type" {
				continue
			}
			err = Strings(f, c.value, visit)
		}
		return firstError(err, c.err)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Embeds reports whether a leaf shows something beside text: an image in markdown, an entry or asset in richText.
func Embeds(f *schema.Field, raw jsontext.Value) (bool, error) {
	switch f.Type {
	case schema.TypeMarkdown:
		p, err := proseOf(raw)
		return len(p.pictures) > 0, err
	case schema.TypeRichText:
		var m mentions
		err := m.tree(raw, "")
		return len(m.references)+len(m.assets) > 0, err
	}
	return false, nil
}
