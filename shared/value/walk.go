package value

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Leaf is a value that holds no fields of its own.
type Leaf struct {
	// Path names it, such as "fields.sections[2].fields.author".
	Path string
	// Field is what it is a value of: a field at any depth, or the items of a list. For fields with several ids it is
	// the field, and Raw one of the ids.
	Field *schema.Field
	Raw   jsontext.Value
}

// Leaves visits every leaf below one value of a field, in the order of the fields: what objects, lists and blocks hold,
// and ids one by one. raw is in compact form and belongs to one locale (see Locales.Values); path is what it is called.
// What does not fit its field is passed over. An error of visit ends the walk.
func Leaves(f *schema.Field, raw jsontext.Value, path string, visit func(Leaf) error) error {
	w := walker{visit: visit}
	return w.value(f, raw, path)
}

// Values splits the value of a top-level field by locale: one member per locale of a locale map, else one with an empty
// name. Locales that hold null are left out. raw is in compact form, or nil where the field is unset.
func (l Locales) Values(f *schema.Field, raw jsontext.Value) ([]Member, error) {
	if raw == nil || raw.Kind() == 'n' {
		return nil, nil
	}
	isMap, err := l.IsMap(f, raw)
	if err != nil {
		return nil, err
	}
	if !isMap {
		return []Member{{Value: raw}}, nil
	}
	members, err := Members(raw)
	values := members[:0]
	for _, m := range members {
		if m.Value.Kind() != 'n' {
			values = append(values, m)
		}
	}
	return values, err
}

// walker visits leaves. Where wanted is set, fields that it refuses are not entered.
type walker struct {
	locales  Locales
	wanted   func(*schema.Field) bool
	visit    func(Leaf) error
	pathless bool // leaves have no path, which no one looks at
}

func (w *walker) join(path, name string) string {
	if w.pathless {
		return ""
	}
	return join(path, name)
}

func (w *walker) object(fields schema.Fields, raw jsontext.Value, path string) error {
	var space [room]jsontext.Value
	values := space[:]
	if len(fields) > room {
		values = make([]jsontext.Value, len(fields))
	}
	values = values[:len(fields)]
	if err := split(values, fields, raw); err != nil {
		return err
	}
	for i, f := range fields {
		if values[i] == nil || w.wanted != nil && !w.wanted(f) {
			continue
		}
		if err := w.field(f, values[i], w.join(path, f.Key)); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) field(f *schema.Field, raw jsontext.Value, path string) error {
	isMap, err := w.locales.IsMap(f, raw)
	if err != nil {
		return err
	}
	if !isMap {
		return w.value(f, raw, path)
	}
	c := openObject(raw)
	for c.next() {
		if err := w.value(f, c.value, w.join(path, schema.Show(string(c.name)))); err != nil {
			return err
		}
	}
	return c.err
}

func (w *walker) value(f *schema.Field, raw jsontext.Value, path string) error {
	switch kind := raw.Kind(); {
	case kind == 'n':
		return nil
	case f.Type == schema.TypeList || f.Type == schema.TypeBlocks || f.Multiple && kind == '[':
		if kind != '[' {
			return nil
		}
		return w.items(f, raw, path)
	case f.Type == schema.TypeObject:
		if kind != '{' {
			return nil
		}
		return w.object(f.Fields, raw, path)
	}
	return w.visit(Leaf{Path: path, Field: f, Raw: raw})
}

func (w *walker) items(f *schema.Field, raw jsontext.Value, path string) error {
	c := openArray(raw)
	for n := 0; c.next(); n++ {
		var err error
		at := ""
		if !w.pathless {
			at = index(path, n)
		}
		switch {
		case f.Type == schema.TypeList:
			err = w.value(f.Of, c.value, at)
		case f.Type == schema.TypeBlocks:
			err = w.block(f, c.value, at)
		case c.value.Kind() != 'n':
			err = w.visit(Leaf{Path: at, Field: f, Raw: c.value})
		}
		if err != nil {
			return err
		}
	}
	return c.err
}

func (w *walker) block(f *schema.Field, raw jsontext.Value, path string) error {
	if raw.Kind() != '{' {
		return nil
	}
	key, fields, err := Block(raw)
	if err != nil {
		return err
	}
	b := f.Block(key)
	if b == nil || fields.Kind() != '{' {
		return nil
	}
	return w.object(b.Fields, fields, w.join(path, "fields"))
}

// EachMember calls see with the members of an object in compact form, in order. name is valid during the call, raw is a part
// of the object. An error of see ends it.
func EachMember(object jsontext.Value, see func(name []byte, raw jsontext.Value) error) error {
	c := openObject(object)
	for c.next() {
		if err := see(c.name, c.value); err != nil {
			return err
		}
	}
	return c.err
}

// EachText calls see with the text of a top-level field in every locale that it is stored in. fields is in compact form; the
// text is valid during the call.
func EachText(fields jsontext.Value, key string, see func(text []byte)) error {
	raw, err := memberOf(fields, key)
	if err != nil || raw == nil {
		return err
	}
	return everyString(raw, func(text []byte) error {
		see(text)
		return nil
	})
}
