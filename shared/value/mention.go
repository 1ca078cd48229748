package value

import (
	"bytes"
	"slices"

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

// MayMention reports whether any field of a collection can name an entry or an asset.
func MayMention(c *schema.Collection) bool { return slices.ContainsFunc(c.Fields, mentioning) }

// References calls see with every entry that one value of a field references, in reference fields and richText at any depth,
// as often as it does. raw is in compact form and belongs to one locale (see Locales.Values).
func References(f *schema.Field, raw jsontext.Value, see func(content.EntryID)) error {
	var m Mentions
	w := walker{wanted: mentioning, visit: m.leaf}
	err := w.value(f, raw, "")
	for _, r := range m.References {
		see(r.Entry)
	}
	return err
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
	case schema.TypeReference, schema.TypeAsset:
		text, _ := schema.Unquote(l.Raw)
		m.add(l.Field, l.Path, string(text))
	case schema.TypeRichText: // the ids in the attributes of nodes and marks
		return eachString(l.Raw, l.Path, "", func(path, name string, text []byte) {
			if name != "text" && name != "type" {
				m.add(nil, path, string(text))
			}
		})
	}
	return nil
}

// add takes the id in a field, or in richText where f is nil.
func (m *Mentions) add(f *schema.Field, path, id string) {
	switch {
	case content.IsID[content.EntryID](id) && (f == nil || f.Type == schema.TypeReference):
		to := ""
		if f != nil {
			to = f.To
		}
		m.References = append(m.References, Reference{Path: path, Collection: to, Entry: content.EntryID(id)})
	case content.IsID[content.AssetID](id) && (f == nil || f.Type == schema.TypeAsset):
		m.Assets = append(m.Assets, AssetUse{Path: path, Field: f, Asset: content.AssetID(id)})
	}
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
