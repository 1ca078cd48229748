package demo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/value"
)

// checkEntries checks every entry's first values on their own.
func (c *Content) checkEntries() error {
	var faults []error
	for _, key := range c.keys() {
		for _, err := range c.checkFields(key, c.Entries[key], false) {
			faults = append(faults, fmt.Errorf("%s: %w", key, err))
		}
	}
	return errors.Join(faults...)
}

// keys lists the entries in a fixed order.
func (c *Content) keys() []Key {
	keys := make([]Key, 0, len(c.Entries))
	for k := range c.Entries {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// checkFields checks field values against the entry's collection; partial ones, as an update carries them, may
// leave out any field and clear those that are not required.
func (c *Content) checkFields(key Key, fields jsontext.Value, partial bool) []error {
	collection := c.Collection(key.Collection())
	if collection == nil {
		return []error{errors.New("there is no such collection")}
	}
	var faults []error
	switch {
	case !schema.IsSlug(key.Slug()):
		faults = append(faults, fmt.Errorf("%q is not a slug", key.Slug()))
	case collection.Kind == schema.KindSingleton && key.Slug() != collection.Name:
		faults = append(faults, fmt.Errorf("the only entry of a singleton must be %s/%s", collection.Name, collection.Name))
	}
	members, err := value.Members(fields)
	if err != nil {
		return append(faults, err)
	}
	given := map[string]bool{}
	for _, m := range members {
		given[m.Name] = true
		f := collection.Field(m.Name)
		switch {
		case f == nil || f.Type == schema.TypeSlug:
			faults = append(faults, fmt.Errorf("%s: there is no such field to fill", m.Name))
		case m.Value.Kind() == 'n':
			if !partial || f.Required {
				faults = append(faults, fmt.Errorf("%s: must not be null", m.Name))
			}
		case f.Localized:
			faults = append(faults, c.checkLocales(f, m.Value, m.Name)...)
		default:
			faults = append(faults, c.checkValue(f, m.Value, m.Name)...)
		}
	}
	for _, f := range collection.Fields {
		if f.Required && f.Type != schema.TypeSlug && !partial && !given[f.Key] {
			faults = append(faults, fmt.Errorf("%s: is required", f.Key))
		}
	}
	return faults
}

// checkLocales wants a value in every locale, and in no other.
func (c *Content) checkLocales(f *schema.Field, raw jsontext.Value, path string) []error {
	if raw.Kind() != '{' {
		return []error{fmt.Errorf("%s: must be a map of locales", path)}
	}
	members, err := value.Members(raw)
	if err != nil {
		return []error{fmt.Errorf("%s: %w", path, err)}
	}
	var faults []error
	missing := Locales()
	for _, m := range members {
		i := slices.Index(missing, m.Name)
		if i < 0 {
			faults = append(faults, fmt.Errorf("%s: %q is not a locale of the demo", path, m.Name))
			continue
		}
		missing = slices.Delete(missing, i, i+1)
		faults = append(faults, c.checkValue(f, m.Value, path+"."+m.Name)...)
	}
	for _, locale := range missing {
		faults = append(faults, fmt.Errorf("%s: has no value in %q", path, locale))
	}
	return faults
}

func (c *Content) checkValue(f *schema.Field, raw jsontext.Value, path string) []error {
	switch {
	case f.Type == schema.TypeReference && f.Multiple:
		return c.checkItems(&schema.Field{Type: f.Type, To: f.To}, raw, path)
	case f.Type == schema.TypeList:
		return c.checkItems(f.Of, raw, path)
	case f.Type == schema.TypeObject:
		return c.checkObject(f, raw, path)
	case f.Type == schema.TypeReference:
		return c.checkReference(f, raw, path)
	}
	var faults []error
	for _, b := range f.Fit(raw) {
		faults = append(faults, fmt.Errorf("%s: %s", path, b.Message))
	}
	if s := ""; raw.Kind() == '"' && json.Unmarshal(raw, &s) == nil {
		if _, ok := parseReference(s); ok || s == "" {
			faults = append(faults, fmt.Errorf("%s: must be text, not %q", path, s))
		}
	}
	return faults
}

func (c *Content) checkItems(of *schema.Field, raw jsontext.Value, path string) []error {
	if raw.Kind() != '[' {
		return []error{fmt.Errorf("%s: must be an array", path)}
	}
	items, err := value.Items(raw)
	if err != nil {
		return []error{fmt.Errorf("%s: %w", path, err)}
	}
	var faults []error
	for i, item := range items {
		faults = append(faults, c.checkValue(of, item, fmt.Sprintf("%s[%d]", path, i))...)
	}
	return faults
}

func (c *Content) checkObject(f *schema.Field, raw jsontext.Value, path string) []error {
	if raw.Kind() != '{' {
		return []error{fmt.Errorf("%s: must be an object", path)}
	}
	members, err := value.Members(raw)
	if err != nil {
		return []error{fmt.Errorf("%s: %w", path, err)}
	}
	var faults []error
	for _, m := range members {
		nested := f.Fields.Get(m.Name)
		if nested == nil {
			faults = append(faults, fmt.Errorf("%s.%s: there is no such field", path, m.Name))
			continue
		}
		faults = append(faults, c.checkValue(nested, m.Value, path+"."+m.Name)...)
	}
	return faults
}

func (c *Content) checkReference(f *schema.Field, raw jsontext.Value, path string) []error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return []error{fmt.Errorf("%s: must be a reference such as %q", path, refPrefix+f.To+"/…")}
	}
	key, ok := parseReference(s)
	switch {
	case content.IsID[content.EntryID](s):
		return []error{fmt.Errorf("%s: must name an entry of the demo, not an id", path)}
	case !ok || key.Collection() != f.To:
		return []error{fmt.Errorf("%s: %q must be a reference such as %q", path, s, refPrefix+f.To+"/…")}
	case c.Entries[key] == nil:
		return []error{fmt.Errorf("%s: there is no entry %s", path, key)}
	}
	return nil
}
