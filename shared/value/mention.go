package value

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
)

// Reference is an entry id that an entry's field values hold.
type Reference struct {
	// Path names the value, such as "fields.sections[2].fields.author".
	Path string
	// Collection is what the target must belong to; empty for the references inside richText.
	Collection string
	Entry      content.EntryID
}

// AssetUse is an asset id that stands in an asset field.
type AssetUse struct {
	Path string
	// Field says which types are accepted (schema.Field.Accepts); nil for the assets inside richText.
	Field *schema.Field
	Asset content.AssetID
}

// Mentions are the ids that the field values of an entry hold, each list in the order of the fields.
type Mentions struct {
	References []Reference // in reference fields and richText
	Assets     []AssetUse  // in asset fields and richText
}

// MentionsIn returns every id that an entry's fields name something by, at any depth; a value that is no id is passed over.
// fields is in compact form.
func MentionsIn(c *schema.Collection, locales Locales, fields jsontext.Value) (Mentions, error) {
	var m Mentions
	w := walker{locales: locales, wanted: mentioning, visit: m.leaf}
	err := w.object(c.Fields, fields, "fields")
	return m, err
}

// mentioning reports whether values of f can hold mentions.
func mentioning(f *schema.Field) bool {
	switch f.Type {
	case schema.TypeReference, schema.TypeAsset, schema.TypeObject, schema.TypeRichText, schema.TypeBlocks:
		return true
	case schema.TypeList:
		return mentioning(f.Of)
	}
	return false
}

func (m *Mentions) leaf(l Leaf) error {
	switch l.Field.Type {
	case schema.TypeReference:
		m.reference(l.Raw, l.Path, l.Field.To)
	case schema.TypeAsset:
		m.asset(l.Raw, l.Path, l.Field)
	case schema.TypeRichText:
		return m.tree(l.Raw, l.Path)
	}
	return nil
}

func (m *Mentions) reference(raw jsontext.Value, path, to string) {
	if text, ok := schema.Unquote(raw); ok && content.IsID[content.EntryID](string(text)) {
		m.References = append(m.References, Reference{Path: path, Collection: to, Entry: content.EntryID(text)})
	}
}

func (m *Mentions) asset(raw jsontext.Value, path string, f *schema.Field) {
	if text, ok := schema.Unquote(raw); ok && content.IsID[content.AssetID](string(text)) {
		m.Assets = append(m.Assets, AssetUse{Path: path, Field: f, Asset: content.AssetID(text)})
	}
}

// tree takes the ids in the attributes of richText nodes and marks; the text of a node is not an attribute.
func (m *Mentions) tree(raw jsontext.Value, path string) error {
	switch raw[0] {
	case '"':
		m.reference(raw, path, "")
		m.asset(raw, path, nil)
	case '[':
		c, err := openArray(raw)
		if err != nil {
			return err
		}
		for n := 0; c.next(); n++ {
			if err := m.tree(c.value, index(path, n)); err != nil {
				return err
			}
		}
		return c.err
	case '{':
		c, err := openObject(raw)
		if err != nil {
			return err
		}
		for c.next() {
			if name := string(c.name); name != "text" && name != "type" {
				if err := m.tree(c.value, join(path, schema.Show(name))); err != nil {
					return err
				}
			}
		}
		return c.err
	}
	return nil
}

// AssetIDs returns every asset id that stands anywhere in an entry's field values, as part of a longer string too,
// each once and in order of appearance (interface, "Policy rules"). fields is in compact form.
func AssetIDs(fields jsontext.Value) []content.AssetID {
	const prefix, length = "ast_", len("ast_") + 26
	var ids []content.AssetID
	seen := map[content.AssetID]bool{}
	for b := []byte(fields); ; {
		i := bytes.Index(b, []byte(prefix))
		if i < 0 {
			return ids
		}
		// U+001A is written \u001a; what looks like the first letter of the prefix may be its end.
		control := i >= 5 && string(b[i-5:i]) == `\u001` && !escaped(b, i-5)
		b = b[i:]
		if id := content.AssetID(b[:min(length, len(b))]); !control && !seen[id] && content.IsID[content.AssetID](string(id)) {
			seen[id] = true
			ids = append(ids, id)
		}
		b = b[len(prefix):]
	}
}
