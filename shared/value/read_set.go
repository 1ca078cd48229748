package value

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// ReadSet is Read for several top-level fields of a collection in one pass that allocates nothing: dst[i] becomes what a
// reader in locale sees of fields[i], and nil where that is unset. dst has the length of fields. raw is in compact form.
func ReadSet(dst []jsontext.Value, fields schema.Fields, locales Locales, locale string, raw jsontext.Value) error {
	clear(dst)
	if err := split(dst, fields, raw); err != nil {
		return err
	}
	for i, f := range fields {
		var err error
		if dst[i], err = seen(f, locales, locale, dst[i]); err != nil {
			return err
		}
	}
	return nil
}

// seen is what a reader in locale sees of the stored value of a field, nil where it is unset.
func seen(f *schema.Field, locales Locales, locale string, raw jsontext.Value) (jsontext.Value, error) {
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	return locales.Pick(f, raw, locale)
}
