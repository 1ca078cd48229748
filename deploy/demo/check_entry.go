package demo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/validate"
	"svc/shared/value"
)

// checkEntries checks the values that every entry starts with.
func (c *Content) checkEntries() error {
	var faults []error
	for _, key := range c.keys() {
		for _, err := range c.checkFields(key, c.Entries[key]) {
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

// checkFields checks the values of one entry: they fit its collection by the rules that the service itself goes by,
// and beyond those they are complete in every locale and refer to entries of the demo.
func (c *Content) checkFields(key Key, fields jsontext.Value) []error {
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
	resolved, err := withSlug(collection, key, fields)
	if err != nil {
		return append(faults, err)
	}
	locales := value.Locales{Codes: Locales(), Default: DefaultLocale}
	stored, findings := validate.Entry(collection, locales, resolved)
	if len(findings) == 0 { // every state is published, so the policy counts too
		noAsset := func(content.AssetID) (validate.Asset, bool) { return validate.Asset{}, false }
		if findings, err = validate.PolicyOf(collection).Check(locales, stored, noAsset); err != nil {
			return append(faults, err)
		}
	}
	for _, f := range findings {
		faults = append(faults, fmt.Errorf("%s: %s", f.Path, f.Message))
	}
	members, err := value.Members(fields)
	if err != nil {
		return append(faults, err)
	}
	for _, m := range members {
		f := collection.Field(m.Name)
		if f == nil || m.Value.Kind() == 'n' {
			continue
		}
		if f.Type == schema.TypeSlug {
			faults = append(faults, fmt.Errorf("fields.%s: the file's name is the slug", m.Name))
		}
		if f.Localized {
			faults = append(faults, checkLocales(m)...)
		}
		faults = append(faults, c.checkReferences(f, m)...)
	}
	return faults
}

// withSlug returns the fields as the service would see them: with ids for references, and the slug under its key.
func withSlug(collection *schema.Collection, key Key, fields jsontext.Value) (jsontext.Value, error) {
	resolved, err := resolve(fields, func(Key) (string, error) { return string(content.NewID[content.EntryID]()), nil })
	if err != nil || collection.SlugField() == nil {
		return resolved, err
	}
	var byKey map[string]jsontext.Value
	if err := json.Unmarshal(resolved, &byKey); err != nil {
		return nil, err
	}
	if byKey[collection.SlugField().Key] == nil {
		byKey[collection.SlugField().Key] = jsontext.Value(`"` + key.Slug() + `"`)
	}
	return json.Marshal(byKey)
}

// checkLocales wants something in every locale.
func checkLocales(m value.Member) []error {
	var byLocale map[string]jsontext.Value
	if err := json.Unmarshal(m.Value, &byLocale); err != nil {
		return []error{fmt.Errorf("fields.%s: must be a map of locales", m.Name)}
	}
	var faults []error
	for _, locale := range Locales() {
		switch string(byLocale[locale]) {
		case "", "null", `""`, "{}", "[]":
			faults = append(faults, fmt.Errorf("fields.%s: has no value in %q", m.Name, locale))
		}
	}
	return faults
}

// checkReferences wants references in reference fields, to entries of the right collection, and nowhere else.
func (c *Content) checkReferences(f *schema.Field, m value.Member) []error {
	if f.Type != schema.TypeReference {
		if keys, err := references(m.Value); err != nil || len(keys) > 0 {
			return []error{errors.Join(fmt.Errorf("fields.%s: must not hold references, such as to %s", m.Name, keys), err)}
		}
		return nil
	}
	var targets []string
	if f.Multiple {
		if err := json.Unmarshal(m.Value, &targets); err != nil {
			return []error{fmt.Errorf("fields.%s: must be an array of references", m.Name)}
		}
	} else {
		targets = []string{""}
		if err := json.Unmarshal(m.Value, &targets[0]); err != nil {
			return []error{fmt.Errorf("fields.%s: must be a reference", m.Name)}
		}
	}
	var faults []error
	for _, target := range targets {
		key, ok := parseReference(target)
		if !ok || key.Collection() != f.To {
			faults = append(faults, fmt.Errorf("fields.%s: %q must be a reference such as %q", m.Name, target, refPrefix+f.To+"/…"))
		} else if c.Entries[key] == nil {
			faults = append(faults, fmt.Errorf("fields.%s: there is no entry %s", m.Name, key))
		}
	}
	return faults
}
