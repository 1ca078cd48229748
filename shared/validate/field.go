package validate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// object checks an object of fields: an entry, an object field, or the fields of a block.
func (k *checker) object(fields schema.Fields, raw jsontext.Value, path string) {
	members := k.members(raw)
	values := make([]jsontext.Value, len(fields))
	for _, m := range members {
		i := fields.Index(m.Name)
		switch {
		case i >= 0:
			values[i] = m.Value
		case k.undeclared && (k.slug != "" && string(m.Value) == k.slug && path == "fields" || slices.Contains(empty, string(m.Value))):
		case k.undeclared:
			k.add(path+"."+schema.Show(m.Name), schema.CodeUnknownField, "the schema has no such field any more, %s", lost)
		case !k.stored:
			k.unknownField(fields, m.Name, path)
		}
	}
	for i, f := range fields {
		k.field(f, values[i], path+"."+f.Key)
	}
}

// empty are values of which nothing is lost.
var empty = []string{"null", "{}", "[]"}

// lost says what is right for values that are not declared any more.
const lost = "so that its value would be lost; push a schema that has it, or edit the entry instead"

func (k *checker) unknownField(fields schema.Fields, name, path string) {
	if len(k.items) == maxItems {
		k.more++
		return
	}
	path += "." + schema.Show(name)
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	if meant := schema.Nearest(name, keys); meant != "" {
		k.add(path, schema.CodeUnknownField, "there is no such field; did you mean %s?", meant)
		return
	}
	k.add(path, schema.CodeUnknownField, "there is no such field")
}

// field checks the value of a field, which is nil where it is missing.
func (k *checker) field(f *schema.Field, raw jsontext.Value, path string) {
	if raw == nil || raw.Kind() == 'n' {
		if f.Required && f.Default == nil {
			k.add(path, schema.CodeRequired, "is required")
		}
		return
	}
	isMap, err := k.locales.IsMap(f, raw)
	switch {
	case err != nil:
		k.err = err
	case isMap:
		k.localeMap(f, raw, path)
	case k.locales.None():
		k.withoutLocales(f, raw, path)
	case f.Localized && !k.stored:
		k.add(path, schema.CodeType, "must be a map of locale to value, such as {%q: …}, not %s; the locales of the project are %s",
			k.locales.Default, plainly(raw), strings.Join(k.locales.Codes, ", "))
	default:
		k.value(f, raw, path)
	}
}

// plainly names a value that is no map of locales.
func plainly(raw jsontext.Value) string {
	if raw.Kind() == '{' {
		return "an object that names none"
	}
	return schema.KindNoun(raw.Kind())
}

// withoutLocales checks a value in a project without locales, and says so of one that was meant as a map of them.
func (k *checker) withoutLocales(f *schema.Field, raw jsontext.Value, path string) {
	before := len(k.items)
	k.value(f, raw, path)
	if len(k.items) == before || string(raw) == "{}" {
		return
	}
	meant, err := k.locales.LooksLikeMap(f, raw)
	if err != nil {
		k.err = err
	}
	if meant {
		k.items[before].Message += noLocales
	}
}

const noLocales = "; the project has no locales, so the field takes its value plainly: to give one per locale, set locales and " +
	"defaultLocale with PATCH /v1/projects/:project first"

// localeMap checks every locale's value. A required field needs the default locale; others fall back on read.
func (k *checker) localeMap(f *schema.Field, raw jsontext.Value, path string) {
	hasDefault, hasAny := false, false
	for _, m := range k.members(raw) {
		switch {
		case !k.locales.Has(m.Name):
			k.add(path+"."+schema.Show(m.Name), schema.CodeUnknownLocale, "is not a locale of the project; it has %s", strings.Join(k.locales.Codes, ", "))
		case m.Value.Kind() == 'n':
		default:
			hasAny, hasDefault = true, hasDefault || m.Name == k.locales.Default
			k.value(f, m.Value, path+"."+m.Name)
		}
	}
	if f.Required && !hasDefault && (hasAny || f.Default == nil) {
		k.add(path+"."+k.locales.Default, schema.CodeRequired, "is required: %s is the default locale", k.locales.Default)
	}
}

// value checks one value of a field that is there, in one locale.
func (k *checker) value(f *schema.Field, raw jsontext.Value, path string) {
	switch {
	case f.Type == schema.TypeList:
		k.list(f, raw, path)
	case f.Type == schema.TypeBlocks:
		k.blocks(f, raw, path)
	case f.Type == schema.TypeObject:
		if k.is(raw, '{', "an object", path) {
			k.object(f.Fields, raw, path)
		}
	case f.Type == schema.TypeRichText:
		k.richText(raw, path)
	case f.Multiple && raw.Kind() == '[':
		for i, item := range k.elements(raw) {
			k.scalar(f, item, position(path, i))
		}
	default:
		k.scalar(f, raw, path)
	}
}

func (k *checker) scalar(f *schema.Field, raw jsontext.Value, path string) {
	for _, b := range f.Fit(raw) {
		k.add(path, b.Code, "%s", b.Message)
	}
}

// is reports a value of another JSON type.
func (k *checker) is(raw jsontext.Value, kind jsontext.Kind, noun, path string) bool {
	if raw.Kind() != kind {
		k.add(path, schema.CodeType, "must be %s, not %s", noun, schema.KindNoun(raw.Kind()))
		return false
	}
	return true
}

func (k *checker) list(f *schema.Field, raw jsontext.Value, path string) {
	if !k.is(raw, '[', "an array", path) {
		return
	}
	items := k.elements(raw)
	k.count(f, len(items), path)
	for i, item := range items {
		if f.Of.Type != schema.TypeJSON && item.Kind() == 'n' {
			k.add(position(path, i), schema.CodeType, "must not be null; leave the item out")
			continue
		}
		k.value(f.Of, item, position(path, i))
	}
}

func (k *checker) count(f *schema.Field, n int, path string) {
	if f.MinItems != nil && n < *f.MinItems {
		k.add(path, schema.CodeMinItems, "must have at least %s; it has %d", schema.Count(*f.MinItems, "item"), n)
	}
	if f.MaxItems != nil && n > *f.MaxItems {
		k.add(path, schema.CodeMaxItems, "must have at most %s; it has %d", schema.Count(*f.MaxItems, "item"), n)
	}
}

func position(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
