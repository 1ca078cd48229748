package schemadeploy

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// reading is how a value is read: by locale, as that of one locale, or plainly.
type reading struct {
	byLocale bool
	locale   string // the default one, whose value it is; empty: it is no locale's
}

func readingOf(f *schema.Field, locales value.Locales, raw jsontext.Value) (reading, error) {
	if !f.Localized || locales.None() {
		return reading{}, nil
	}
	byLocale, err := locales.IsMap(f, raw)
	if err != nil || byLocale {
		return reading{byLocale: byLocale}, err
	}
	return reading{locale: locales.Default}, nil
}

// moved finds values that mean something else once their field is localized, or is not any more, or the project has
// other locales, and returns the keys of their fields. A plain value may become that of the default locale, and stay with it.
func (k *contentCheck) moved(h head) (map[string]bool, error) {
	var moved map[string]bool
	var members []value.Member
	for _, f := range k.now.Fields {
		was := k.was.Field(f.Key)
		if was == nil || was.Localized == f.Localized && (!f.Localized || k.sameLocales) {
			continue
		}
		if members == nil {
			var err error
			if members, err = value.Members(h.fields); err != nil || len(members) == 0 {
				return nil, err
			}
		}
		raw := member(members, f.Key)
		if raw == nil || raw.Kind() == 'n' {
			continue
		}
		message, err := k.movedTo(was, f, raw)
		if err != nil {
			return nil, err
		}
		if message != "" {
			k.add(h, "fields."+f.Key, schema.CodeType, "%s", message)
			if moved == nil {
				moved = map[string]bool{}
			}
			moved[f.Key] = true
		}
	}
	return moved, nil
}

// movedTo says what becomes of the meaning of a value; nothing where it is kept.
func (k *contentCheck) movedTo(was, f *schema.Field, raw jsontext.Value) (string, error) {
	from, err := readingOf(was, k.before, raw)
	if err != nil {
		return "", err
	}
	to, err := readingOf(f, k.locales, raw)
	if err != nil {
		return "", err
	}
	empty := len(raw) == len("{}") && raw.Kind() == '{' // says nothing, but as json
	switch {
	case from == to, from.byLocale && empty, to.byLocale && empty && f.Type != schema.TypeJSON:
		return "", nil
	case from.byLocale:
		return "holds one value for each locale; clear it first", nil
	case to.byLocale:
		return "is an object that would be read as a map of locales; clear it first", nil
	case from.locale != "" && to.locale != "":
		return "holds a plain value, which is that of " + from.locale + "; an edit of the entry before keeps it for " + from.locale + ", even one without changes", nil
	}
	return "", nil
}

// member returns a value by its name; nil where there is none.
func member(members []value.Member, key string) jsontext.Value {
	for _, m := range members {
		if m.Name == key {
			return m.Value
		}
	}
	return nil
}
