package index

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"github.com/go-json-experiment/json/jsontext"

	"svc/edge/store/layout"
	"svc/shared/schema"
	"svc/shared/value"
)

// Definition is what an index of a field belongs to: the field's key and the class of its values. Whether the field is
// localized only decides which rows a read takes. Once there, a definition stays and is written by every release: of a
// field that no schema has any more, documents have no values. So one that comes back is complete.
type Definition struct {
	Number uint32
	Name
	Built bool
	// How far it is built: the place and inverted release of the last row of TableEntry whose document is indexed; empty at the
	// beginning.
	Done []byte

	field *schema.Field // which values are read as
}

// Name is what tells definitions of a collection apart.
type Name struct {
	Field string
	Class value.Class
	// Shape is canonical JSON of what the field may hold, of terms and targets: fields of another shape have other ones in the
	// same documents.
	Shape string
}

// Classes of definitions that lists are not ordered by. A document has many of their values.
const (
	ClassTerms   value.Class = 'w' // words and pairs of words in texts
	ClassTargets value.Class = 'r' // entries that are referenced
)

// Append writes the value of TableDefinition.
func (d *Definition) Append(dst []byte) []byte {
	built := byte(0)
	if d.Built {
		built = 1
	}
	dst = append(dst, byte(d.Class), built)
	for _, text := range []string{d.Field, d.Shape} {
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return append(dst, d.Done...)
}

// progressLen is the length of a place in TableEntry.
const progressLen = layout.EntryRowLen - layout.CollectionLen

func readDefinition(number uint32, b []byte) (*Definition, error) {
	if len(b) < 2 {
		return nil, layout.Damaged("definition")
	}
	f := layout.Decoder{Rest: b[2:]}
	d := NewDefinition(number, Name{Field: string(f.Bytes()), Class: value.Class(b[0]), Shape: string(f.Bytes())}, b[1] == 1)
	if len(f.Rest) > 0 {
		d.Done = bytes.Clone(f.Rest)
	}
	if len(d.Done) != 0 && len(d.Done) != progressLen || d.field == nil {
		return nil, layout.Damaged("definition")
	}
	return d, f.Err("definition")
}

// NewDefinition is a definition of a name.
func NewDefinition(number uint32, name Name, built bool) *Definition {
	d := &Definition{Number: number, Name: name, Built: built, field: samples[name.Class]}
	if name.Shape != "" {
		d.field = fieldOf(name.Shape)
	}
	return d
}

// samples are fields of each class, by which values of the class are read.
var samples = func() map[value.Class]*schema.Field {
	out := map[value.Class]*schema.Field{}
	for _, t := range []schema.FieldType{schema.TypeText, schema.TypeNumber, schema.TypeBoolean, schema.TypeDate, schema.TypeDatetime} {
		f := &schema.Field{Type: t}
		out[value.ClassOf(f)] = f
	}
	return out
}()

// ReadDefinitions calls see with the definitions of a collection.
func ReadDefinitions(it *pebble.Iterator, g layout.Generation, c uint32, see func(*Definition)) error {
	start := g.Collection(nil, layout.TableDefinition, c)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if len(it.Key()) != layout.DefinitionLen {
			return layout.Damaged("definition")
		}
		d, err := readDefinition(binary.BigEndian.Uint32(it.Key()[layout.CollectionLen:]), v)
		if err != nil {
			return err
		}
		see(d)
	}
	return it.Error()
}

// Definitions are those of one collection, as writing needs them.
type Definitions struct {
	ByField map[string][]*Definition
	Next    uint32 // number of the next one
}

// NewDefinitions are those of a collection that has none.
func NewDefinitions() Definitions {
	return Definitions{ByField: map[string][]*Definition{}, Next: layout.EveryEntry + 1}
}

// Add takes one in.
func (d *Definitions) Add(one *Definition) {
	d.ByField[one.Field] = append(d.ByField[one.Field], one)
	d.Next = max(d.Next, one.Number+1)
}

// Has reports whether there is one of this name.
func (d *Definitions) Has(name Name) bool {
	for _, one := range d.ByField[name.Field] {
		if one.Name == name {
			return true
		}
	}
	return false
}

// HasTexts reports whether there is one of terms.
func (d *Definitions) HasTexts() bool {
	for _, field := range d.ByField {
		for _, one := range field {
			if one.Class == ClassTerms {
				return true
			}
		}
	}
	return false
}

// Unbuilt returns some definitions that are not built, those that are equally far; nil where all are built.
func (d *Definitions) Unbuilt() (group []*Definition) {
	for _, field := range d.ByField {
		for _, one := range field {
			if !one.Built && (group == nil || bytes.Equal(one.Done, group[0].Done)) {
				group = append(group, one)
			}
		}
	}
	return group
}

// ValueIn reads the key of the value that a document has in a locale, or outside of any. The value is there.
func (d *Definition) ValueIn(fields, in []byte) ([]byte, error) {
	var found jsontext.Value
	err := value.EachMember(fields, func(name []byte, raw jsontext.Value) error {
		if string(name) != d.Field {
			return nil
		}
		if len(in) == 0 || raw[0] != '{' {
			found = raw
			return nil
		}
		return value.EachMember(raw, func(locale []byte, raw jsontext.Value) error {
			if string(locale) == string(in) {
				found = raw
			}
			return nil
		})
	})
	key, ok := value.KeyOf(nil, d.field, found)
	if err == nil && !ok {
		err = layout.Damaged("index: an entry does not have the value it is indexed under")
	}
	return key, err
}
