package store

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/shared/schema"
	"svc/shared/value"
)

// definition is what an index of a field belongs to: the field's key and the class of its values. Whether the field is
// localized only decides which rows a read takes. Once there, a definition stays and is written by every release: of a
// field that no schema has any more, documents have no values. So one that comes back is complete.
type definition struct {
	number uint32
	field  string
	class  value.Class
	built  bool
	// How far it is built: the place and inverted release of the last row of TableEntry whose document is filed; empty at the
	// beginning.
	done []byte
}

// definitionName is what tells definitions of a collection apart.
type definitionName struct {
	field string
	class value.Class
}

func (d *definition) name() definitionName { return definitionName{d.field, d.class} }

func (d *definition) append(dst []byte) []byte {
	built := byte(0)
	if d.built {
		built = 1
	}
	dst = append(dst, byte(d.class), built)
	dst = append(binary.AppendUvarint(dst, uint64(len(d.field))), d.field...)
	return append(dst, d.done...)
}

// progressLen is the length of a place in TableEntry.
const progressLen = layout.EntryRowLen - layout.CollectionLen

func readDefinition(number uint32, b []byte) (*definition, error) {
	if len(b) < 2 {
		return nil, layout.Damaged("definition")
	}
	d := &definition{number: number, class: value.Class(b[0]), built: b[1] == 1}
	f := layout.Decoder{Rest: b[2:]}
	d.field = string(f.Bytes())
	if len(f.Rest) > 0 {
		d.done = bytes.Clone(f.Rest)
	}
	if len(d.done) != 0 && len(d.done) != progressLen || sample(d.class) == nil {
		return nil, layout.Damaged("definition")
	}
	return d, f.Err("definition")
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

// sample is a field of a class, nil where there is no such class.
func sample(c value.Class) *schema.Field { return samples[c] }

// readDefinitions calls see with the definitions of a collection.
func readDefinitions(it *pebble.Iterator, g layout.Generation, c uint32, see func(*definition)) error {
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

// definitions are those of one collection, as writing needs them.
type definitions struct {
	byField map[string][]*definition
	next    uint32 // number of the next one
}

func newDefinitions() definitions {
	return definitions{byField: map[string][]*definition{}, next: layout.EveryEntry + 1}
}

func (d *definitions) add(one *definition) {
	d.byField[one.field] = append(d.byField[one.field], one)
	d.next = max(d.next, one.number+1)
}

func (d *definitions) has(name definitionName) bool {
	for _, one := range d.byField[name.field] {
		if one.class == name.class {
			return true
		}
	}
	return false
}

// unbuilt returns some definitions that are not built, those that are equally far; nil where all are built.
func (d *definitions) unbuilt() (group []*definition) {
	for _, field := range d.byField {
		for _, one := range field {
			if !one.built && (group == nil || bytes.Equal(one.done, group[0].done)) {
				group = append(group, one)
			}
		}
	}
	return group
}

// define gives every field of a schema whose values can be compared its definition. A new one is built from now on by
// releases, and of what was published before by the builder; a load builds all at its end.
func (w *writer) define(a *account, c *schema.Collection) error {
	for _, f := range c.Fields {
		name := definitionName{f.Key, value.ClassOf(f)}
		if name.class == value.ClassNone || a.defs.has(name) {
			continue
		}
		d := &definition{number: a.defs.next, field: name.field, class: name.class, built: w.loading || a.next == 0}
		a.defs.add(d)
		w.led.unbuilt = w.led.unbuilt || !d.built
		if err := w.putDefinition(a, d); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) putDefinition(a *account, d *definition) error {
	w.value = d.append(w.value[:0])
	w.key = w.led.Gen.CollectionNumber(w.key, layout.TableDefinition, a.number, d.number)
	return w.out.put(w.key, w.value, nil)
}
