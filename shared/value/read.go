package value

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// ReadSet is Read for several top-level fields of a collection in one pass that allocates nothing: dst[i] becomes what a
// reader in locale sees of fields[i], and nil where that is unset. dst has the length of fields. raw is in compact form, which is
// not looked at behind the last of them.
func ReadSet(dst []jsontext.Value, fields schema.Fields, locales Locales, locale string, raw jsontext.Value) error {
	clear(dst)
	c := openObject(raw)
	for at, missing := -1, len(fields); missing > 0 && c.next(); {
		if at = position(fields, c.name, at); at < 0 {
			continue
		}
		missing--
		var err error
		if dst[at], err = seen(fields[at], locales, locale, c.value); err != nil {
			return err
		}
	}
	return c.err
}

// seen is what a reader in locale sees of the stored value of a field, nil where it is unset.
func seen(f *schema.Field, locales Locales, locale string, raw jsontext.Value) (jsontext.Value, error) {
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	return locales.InLocaleOrDefault(f, raw, locale)
}

// Read returns the value of a top-level field as a reader in locale sees it, or nil where it is unset; without a
// locale, of a localized field the default locale's. fields is in compact form.
func Read(c *schema.Collection, locales Locales, locale string, fields jsontext.Value, key string) (jsontext.Value, error) {
	f := c.Field(key)
	if f == nil {
		return nil, nil
	}
	raw, err := memberOf(fields, key)
	if err != nil {
		return nil, err
	}
	return seen(f, locales, locale, raw)
}

// room is how many fields a split holds without allocating.
const room = 48

// split finds the value of every field in an object: values[i] belongs to fields[i] and stays nil where the object
// has no such member. Undeclared members are passed over. values has the length of fields.
func split(values []jsontext.Value, fields schema.Fields, raw jsontext.Value) error {
	c := openObject(raw)
	at := -1
	for c.next() {
		if at = position(fields, c.name, at); at >= 0 {
			values[at] = c.value
		}
	}
	return c.err
}

// position is the index of a field, or -1. Stored members stand in schema order, so it is mostly soon after the
// last one.
func position(fields schema.Fields, name []byte, last int) int {
	for i := last + 1; i < len(fields); i++ {
		if fields[i].Key == string(name) {
			return i
		}
	}
	for i := 0; i <= last && i < len(fields); i++ {
		if fields[i].Key == string(name) {
			return i
		}
	}
	return -1
}
