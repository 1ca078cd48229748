package value

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Locales are the locales of a project. Without codes, localized fields hold plain values.
type Locales struct {
	// Codes are the configured locales; Default is one of them.
	Codes   []string
	Default string
}

// None reports whether the project has no locales.
func (l Locales) None() bool { return len(l.Codes) == 0 }

// Has reports whether code is one of the project's locales.
func (l Locales) Has(code string) bool { return slices.Contains(l.Codes, code) }

// IsMap reports whether the value of a localized field is a map of locale to value. A plain value stands for the
// default locale; it is what a field holds that was written before it, or the project, was localized. Where values
// of the field can be objects themselves, one that names a configured locale is a map; so is one of an object
// field that names no declared field. raw is in compact form.
func (l Locales) IsMap(f *schema.Field, raw jsontext.Value) (bool, error) {
	if l.None() {
		return false, nil
	}
	return l.LooksLikeMap(f, raw)
}

// LooksLikeMap is IsMap for a value as its writer may have meant it: also in a project without locales, where no value
// is a map.
func (l Locales) LooksLikeMap(f *schema.Field, raw jsontext.Value) (bool, error) {
	if !f.Localized || raw.Kind() != '{' {
		return false, nil
	}
	if f.Type != schema.TypeObject && f.Type != schema.TypeJSON && f.Type != schema.TypeRichText {
		return true, nil
	}
	c := openObject(raw)
	empty, declared := true, false
	for c.next() {
		empty = false
		if l.Has(string(c.name)) {
			return true, nil
		}
		switch f.Type {
		case schema.TypeObject:
			declared = declared || f.Fields.Get(string(c.name)) != nil
		case schema.TypeRichText:
			declared = declared || string(c.name) == "type" || string(c.name) == "content"
		case schema.TypeJSON:
			declared = true
		}
	}
	return empty || !declared, c.err
}

// InLocaleOrDefault returns what a reader in locale sees of a localized field: its value in that locale, else in the default
// locale, else nil. An empty locale means the default one. raw is in compact form, or nil where the field is unset.
func (l Locales) InLocaleOrDefault(f *schema.Field, raw jsontext.Value, locale string) (jsontext.Value, error) {
	if raw == nil || !f.Localized {
		return raw, nil
	}
	isMap, err := l.IsMap(f, raw)
	if err != nil || !isMap {
		return raw, err
	}
	if locale == "" {
		locale = l.Default
	}
	c := openObject(raw)
	var fallback jsontext.Value
	for c.next() {
		switch {
		case c.value[0] == 'n': // null is no value
		case string(c.name) == locale:
			return c.value, nil
		case string(c.name) == l.Default:
			fallback = c.value
		}
	}
	return fallback, c.err
}
