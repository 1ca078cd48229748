package diff

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// Frame is what stored fields are read by: the fields of a collection, and the locales of the project. The zero Frame declares
// nothing, so that each member is one value.
type Frame struct {
	Fields  schema.Fields
	Locales value.Locales

	collection *schema.Collection // nil where Side leaves everything as it is
	slug       string             // key of the field that the slug is; empty: none
	slugBeside bool               // the schema does not declare that field
}

// slugKey is that of the field that a slug without a field of its own is.
const slugKey = "slug"

// FrameOf is the frame of a collection. Where slugs stand in no field, the slug is a field all the same.
func FrameOf(c *schema.Collection, locales value.Locales) Frame {
	fr := Frame{Fields: c.Fields, Locales: locales, collection: c}
	switch f := c.SlugField(); {
	case !c.HasSlug():
	case f != nil:
		fr.slug = f.Key
	case c.Fields.Get(slugKey) == nil:
		fr.Fields, fr.slug, fr.slugBeside = append(slices.Clone(c.Fields), &schema.Field{Key: slugKey, Type: schema.TypeSlug}), slugKey, true
	}
	return fr
}

// Side brings the stored fields of a revision into the form in which sides compare, whatever schema and locales they were written
// under: that of the frame's collection, with the defaults of required fields, which count as present, and with its slug in the field
// that slugs stand in now. What the collection does not declare is left out. fields may be nil.
func (fr Frame) Side(fields jsontext.Value, slug *string) (jsontext.Value, error) {
	if fr.collection == nil || fields == nil {
		return fields, nil
	}
	side, err := value.Canonical(fr.collection, fr.Locales, fields, value.FillRequired)
	if err != nil || slug == nil || fr.slug == "" {
		return side, err
	}
	return withMember(side, fr.slug, []byte(`"`+*slug+`"`))
}

// Slug is the slug in a side that has it as a field without being declared as one; nil where it has none.
func (fr Frame) Slug(side jsontext.Value) (slug *string, beside bool, err error) {
	if !fr.slugBeside {
		return nil, false, nil
	}
	members, err := value.Members(side)
	for _, m := range members {
		if text, ok := schema.Unquote(m.Value); ok && m.Name == slugKey {
			slug = new(string(text))
		}
	}
	return slug, true, err
}

// withMember returns an object in which a member has this value; one that it had not comes last.
func withMember(object jsontext.Value, name string, raw jsontext.Value) (jsontext.Value, error) {
	all, err := value.Members(object)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(m value.Member) bool { return m.Name == name })
	if i >= 0 && bytes.Equal(all[i].Value, raw) {
		return object, nil
	}
	if i < 0 {
		all = append(all, value.Member{Name: name})
		i = len(all) - 1
	}
	all[i].Value = raw
	out := []byte{'{'}
	for n, m := range all {
		if n > 0 {
			out = append(out, ',')
		}
		if out, err = jsontext.AppendQuote(out, m.Name); err != nil {
			return nil, err
		}
		out = append(append(out, ':'), m.Value...)
	}
	return append(out, '}'), nil
}

// members are those of an object, by name.
type members map[string]jsontext.Value

// root is the level of all fields of an entry.
func (fr Frame) root() level { return level{fields: fr.Fields} }

// level says what the members of an object are: fields, or the locales of one.
type level struct {
	fields schema.Fields
	locale *schema.Field // what each locale holds; nil where members are fields
}

// field returns what the member of this name is a value of, or nil where the schema does not declare it.
func (l level) field(name string) *schema.Field {
	if l.locale != nil {
		return l.locale
	}
	return l.fields.Get(name)
}

// unset reports whether a member is as good as absent.
func (l level) unset(name string, raw jsontext.Value) bool {
	f := l.field(name)
	return raw.Kind() == 'n' && (l.locale != nil || f == nil || f.Type != schema.TypeJSON)
}

// members reads an object of this level, without what is unset. raw may be empty.
func (l level) members(raw jsontext.Value) (members, error) {
	all := members{}
	if len(raw) == 0 {
		return all, nil
	}
	err := value.EachMember(raw, func(name []byte, raw jsontext.Value) error {
		if !l.unset(string(name), raw) {
			all[string(name)] = raw
		}
		return nil
	})
	return all, err
}

// both reads two objects of this level.
func (l level) both(x, y jsontext.Value) (a, b members, err error) {
	if a, err = l.members(x); err == nil {
		b, err = l.members(y)
	}
	return a, b, err
}

// names returns the names that any of the sides has, in the order in which they are stored.
func (l level) names(sides ...members) []string {
	all := map[string]bool{}
	for _, side := range sides {
		for name := range side {
			all[name] = true
		}
	}
	rank := func(name string) int {
		if i := l.fields.Index(name); i >= 0 {
			return i
		}
		return len(l.fields)
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// divide tells how the sides of a field divide, and false where they are one value each. A side is nil where the field is unset.
func (fr Frame) divide(f *schema.Field, sides ...jsontext.Value) (level, bool, error) {
	if f == nil {
		return level{}, false, nil
	}
	localized, objects, unset := 0, 0, 0
	for _, raw := range sides {
		isMap, err := fr.Locales.IsMap(f, raw)
		switch {
		case err != nil:
			return level{}, false, err
		case raw == nil:
			unset++
		case isMap:
			localized++
		case f.Type == schema.TypeObject && raw.Kind() == '{':
			objects++
		}
	}
	switch {
	case localized > 0 && localized+unset == len(sides):
		inLocale := *f
		inLocale.Localized = false
		return level{locale: &inLocale}, true, nil
	case objects == len(sides):
		return level{fields: f.Fields}, true, nil
	}
	return level{}, false, nil
}
