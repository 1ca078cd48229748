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
	c, err := openObject(raw)
	if err != nil {
		return err
	}
	for at, missing := -1, len(fields); missing > 0 && c.next(); {
		if at = position(fields, c.name, at); at < 0 {
			continue
		}
		missing--
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
	return locales.Pick(f, raw, locale)
}
