package value

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Reading is what the reader of a leaf sees.
type Reading struct {
	// Text is the text: of markdown and richText without syntax, marks, attributes and link targets, a line break
	// between blocks; of text and slugs the value itself. Values of other types, and values that do not fit their field,
	// have none.
	Text string
	// Embeds reports whether anything is shown beside the text: an image in markdown, an entry or asset in richText.
	Embeds bool

	pictures []picture // of markdown
}

// Read reads the leaf.
func (l Leaf) Read() (Reading, error) {
	switch l.Field.Type {
	case schema.TypeText, schema.TypeSlug:
		text, _ := schema.Unquote(l.Raw)
		return Reading{Text: string(text)}, nil
	case schema.TypeMarkdown:
		source, ok := schema.Unquote(l.Raw)
		if !ok {
			return Reading{}, nil
		}
		p, err := readMarkdown(source)
		if err != nil {
			return Reading{}, fmt.Errorf("reading markdown: %w", err)
		}
		return Reading{p.text, len(p.pictures) > 0, p.pictures}, nil
	case schema.TypeRichText:
		var text lines
		if err := readTree(&text, l.Raw, false); err != nil {
			return Reading{}, err
		}
		var m Mentions
		err := m.tree(l.Raw, "")
		return Reading{Text: text.String(), Embeds: len(m.References)+len(m.Assets) > 0}, err
	}
	return Reading{}, nil
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
			name, _ := schema.Unquote(c.value)
			kind = string(name)
		case "text":
			text, _ = schema.Unquote(c.value)
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

// Strings visits every string of the leaf that a person wrote, as it is stored: the source of markdown, of richText the
// texts and the attributes, of json the strings at any depth but for the names of members.
func (l Leaf) Strings(visit func(string)) error {
	return eachString(l.Raw, l.Field.Type == schema.TypeRichText, visit)
}

// eachString visits the strings below a value; in a tree, without the types of nodes and marks.
func eachString(raw jsontext.Value, tree bool, visit func(string)) error {
	switch raw.Kind() {
	case '"':
		text, _ := schema.Unquote(raw)
		visit(string(text))
	case '[':
		c, err := openArray(raw)
		for err == nil && c.next() {
			err = eachString(c.value, tree, visit)
		}
		return firstError(err, c.err)
	case '{':
		c, err := openObject(raw)
		for err == nil && c.next() {
			if tree && string(c.name) == "type" {
				continue
			}
			err = eachString(c.value, tree, visit)
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
