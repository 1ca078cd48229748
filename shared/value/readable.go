package value

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
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
		var p prose
		if err := p.read(source); err != nil {
			return Reading{}, fmt.Errorf("reading markdown: %w", err)
		}
		return Reading{p.String(), len(p.pictures) > 0, p.pictures}, nil
	case schema.TypeRichText:
		var text lines
		if err := readTree(&text, l.Raw, false); err != nil {
			return Reading{}, err
		}
		var m Mentions
		err := m.leaf(l)
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
	members, err := Members(raw)
	if err != nil {
		return err
	}
	var kind, text []byte
	var nodes []jsontext.Value
	for _, m := range members {
		switch m.Name {
		case "type":
			kind, _ = schema.Unquote(m.Value)
		case "text":
			text, _ = schema.Unquote(m.Value)
		case "content":
			if m.Value.Kind() == '[' {
				nodes, err = Items(m.Value)
			}
		}
	}
	switch {
	case err != nil:
		return err
	case string(kind) == "text":
		l.verbatim(text)
		return nil
	case string(kind) == "hardBreak":
		l.line()
	case !inLine:
		l.end()
	}
	holdsText := slices.ContainsFunc(nodes, func(n jsontext.Value) bool {
		kind, err := memberOf(n, "type")
		return err == nil && string(kind) == `"text"`
	})
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

// Strings visits every string of the leaf that a person wrote, as it is stored: the source of markdown, of richText the
// texts and the attributes, of json the strings at any depth but for the names of members.
func (l Leaf) Strings(visit func(string)) error {
	return eachString(l.Raw, "", "", func(_, name string, text []byte) {
		if name != "type" || l.Field.Type != schema.TypeRichText {
			visit(string(text))
		}
	})
}

// eachString visits the strings below a value, each with its path and the name of the innermost member that holds it.
func eachString(raw jsontext.Value, path, name string, visit func(path, name string, text []byte)) error {
	kind := raw.Kind()
	if kind == '"' {
		if text, ok := schema.Unquote(raw); ok {
			visit(path, name, text)
		}
	}
	if kind != '{' && kind != '[' {
		return nil
	}
	c := open(raw, raw[0])
	for n := 0; c.next(); n++ {
		at := ""
		if c.object {
			name = string(c.name)
			at = join(path, schema.Show(name))
		} else {
			at = index(path, n)
		}
		if err := eachString(c.value, at, name, visit); err != nil {
			return err
		}
	}
	return c.err
}

// Alt is an asset that a value names, with the alt text beside it.
type Alt struct {
	// Path names the place: the value, or the attribute of a richText node.
	Path  string
	Asset content.AssetID
	// Text is the alt text that this usage carries: the attribute alt of a richText node, or that of an image in
	// markdown. It is empty where there is none, or where such a place cannot carry any.
	Text string
}

// Alts returns every asset id that stands anywhere in the leaf, each usage as an image on its own. An id that stands in
// the value otherwise too, such as in a link around its image, is not listed again for that. r is the leaf's reading.
func (l Leaf) Alts(r Reading) ([]Alt, error) {
	var alts []Alt
	for _, image := range r.pictures {
		for _, id := range AssetIDs(jsontext.Value(image.src)) {
			alts = append(alts, Alt{Path: l.Path, Asset: id, Text: image.alt})
		}
	}
	if l.Field.Type == schema.TypeRichText { // the attributes asset and alt of a node
		texts := map[string]string{} // by path
		err := eachString(l.Raw, l.Path, "", func(path, _ string, text []byte) {
			if strings.HasSuffix(path, ".attrs.asset") && content.IsID[content.AssetID](string(text)) {
				alts = append(alts, Alt{Path: path, Asset: content.AssetID(text)})
			} else if strings.HasSuffix(path, ".attrs.alt") {
				texts[path] = string(text)
			}
		})
		if err != nil {
			return nil, err
		}
		for i := range alts {
			alts[i].Text = texts[strings.TrimSuffix(alts[i].Path, "asset")+"alt"]
		}
	}
	seen := map[content.AssetID]bool{}
	for _, a := range alts {
		seen[a.Asset] = true
	}
	for _, id := range AssetIDs(l.Raw) {
		if !seen[id] {
			alts = append(alts, Alt{Path: l.Path, Asset: id})
		}
	}
	return alts, nil
}
