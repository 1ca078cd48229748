package value

import (
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

// References returns every entry id in the reference fields and richText of an entry, nested ones too, in the order
// of the fields; a value that is no id is passed over. fields is in compact form.
func References(c *schema.Collection, locales Locales, fields jsontext.Value) ([]Reference, error) {
	m := mentions{locales: locales}
	err := m.object(c.Fields, fields, "fields")
	return m.references, err
}

// AssetUses returns every asset id in the asset fields and richText of an entry, as References does.
func AssetUses(c *schema.Collection, locales Locales, fields jsontext.Value) ([]AssetUse, error) {
	m := mentions{locales: locales}
	err := m.object(c.Fields, fields, "fields")
	return m.assets, err
}

type mentions struct {
	locales    Locales
	references []Reference
	assets     []AssetUse
}

func (m *mentions) object(fields schema.Fields, raw jsontext.Value, path string) error {
	values := make([]jsontext.Value, len(fields))
	if err := split(values, fields, raw); err != nil {
		return err
	}
	for i, f := range fields {
		if values[i] == nil || !mentioning(f) {
			continue
		}
		if err := m.field(f, values[i], join(path, f.Key)); err != nil {
			return err
		}
	}
	return nil
}

// mentioning reports whether values of f can hold ids that References or AssetUses return.
func mentioning(f *schema.Field) bool {
	switch f.Type {
	case schema.TypeReference, schema.TypeAsset, schema.TypeObject, schema.TypeRichText, schema.TypeBlocks:
		return true
	case schema.TypeList:
		return mentioning(f.Of)
	}
	return false
}

func (m *mentions) field(f *schema.Field, raw jsontext.Value, path string) error {
	isMap, err := m.locales.IsMap(f, raw)
	if err != nil || !isMap {
		return m.value(f, raw, path, err)
	}
	c, err := openObject(raw)
	if err != nil {
		return err
	}
	for c.next() {
		if err := m.value(f, c.value, join(path, string(c.name)), nil); err != nil {
			return err
		}
	}
	return c.err
}

// value takes one value of f; err, if any, is returned as it is.
func (m *mentions) value(f *schema.Field, raw jsontext.Value, path string, err error) error {
	if err != nil {
		return err
	}
	switch {
	case raw[0] == '[' && (f.Type == schema.TypeList || f.Type == schema.TypeBlocks || f.Multiple):
		return m.items(f, raw, path)
	case f.Type == schema.TypeReference:
		m.reference(raw, path, f.To)
	case f.Type == schema.TypeAsset:
		m.asset(raw, path, f)
	case f.Type == schema.TypeObject && raw[0] == '{':
		return m.object(f.Fields, raw, path)
	case f.Type == schema.TypeRichText:
		return m.tree(raw, path)
	}
	return nil
}

func (m *mentions) items(f *schema.Field, raw jsontext.Value, path string) error {
	c, err := openArray(raw)
	if err != nil {
		return err
	}
	for n := 0; c.next(); n++ {
		at := index(path, n)
		switch {
		case f.Type == schema.TypeList:
			err = m.value(f.Of, c.value, at, nil)
		case f.Type == schema.TypeReference:
			m.reference(c.value, at, f.To)
		case f.Type == schema.TypeAsset:
			m.asset(c.value, at, f)
		case c.value[0] == '{':
			err = m.block(f, c.value, at)
		}
		if err != nil {
			return err
		}
	}
	return c.err
}

func (m *mentions) block(f *schema.Field, raw jsontext.Value, path string) error {
	key, fields, err := Block(raw)
	if err != nil {
		return err
	}
	b := f.Block(key)
	if b == nil || fields.Kind() != '{' {
		return nil
	}
	return m.object(b.Fields, fields, join(path, "fields"))
}

func (m *mentions) reference(raw jsontext.Value, path, to string) {
	if text, ok := unquote(raw); ok && content.IsID[content.EntryID](string(text)) {
		m.references = append(m.references, Reference{Path: path, Collection: to, Entry: content.EntryID(text)})
	}
}

func (m *mentions) asset(raw jsontext.Value, path string, f *schema.Field) {
	if text, ok := unquote(raw); ok && content.IsID[content.AssetID](string(text)) {
		m.assets = append(m.assets, AssetUse{Path: path, Field: f, Asset: content.AssetID(text)})
	}
}

// tree takes the ids in the attributes of richText nodes and marks; the text of a node is not an attribute.
func (m *mentions) tree(raw jsontext.Value, path string) error {
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
				if err := m.tree(c.value, join(path, name)); err != nil {
					return err
				}
			}
		}
		return c.err
	}
	return nil
}
