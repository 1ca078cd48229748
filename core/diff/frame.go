package diff

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// Frame is what stored fields are read by: the fields of a collection, and the locales of the project.
type Frame struct {
	Fields  schema.Fields
	Locales value.Locales
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
