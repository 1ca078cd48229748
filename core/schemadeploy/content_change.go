package schemadeploy

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// slug finds a field that becomes the slug field while it holds something else than the entry's slug. Readers would see
// two slugs, and nothing has made sure that nobody else has that one.
func (k *contentCheck) slug(h head) error {
	f := k.now.SlugField()
	if f == nil {
		return nil
	}
	raw, err := value.Read(k.now, k.locales, "", h.fields, f.Key)
	if err != nil || raw.Kind() != '"' {
		return err
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return err
	}
	switch {
	case h.slug == nil:
		k.add(h, "fields."+f.Key, schema.CodeSlug, "holds %s, but the entry has no slug; add the slug field under another key", schema.Quote(string(text)))
	case *h.slug != string(text):
		k.add(h, "fields."+f.Key, schema.CodeSlug, "holds %s, but the slug of the entry is %q; add the slug field under another key", schema.Quote(string(text)), *h.slug)
	}
	return nil
}

// relocalized finds values that mean something else once their field is localized, or is not any more, and that no
// other rule refuses: those of fields whose values may be objects themselves.
func (k *contentCheck) relocalized(h head) error {
	if k.was == nil || k.locales.None() {
		return nil
	}
	for _, f := range k.now.Fields {
		was := k.was.Field(f.Key)
		if was == nil || was.Localized == f.Localized || f.Type != schema.TypeJSON && f.Type != schema.TypeObject {
			continue
		}
		raw, err := member(h.fields, f.Key)
		if err != nil {
			return err
		}
		if raw.Kind() != '{' || len(raw) == len("{}") {
			continue
		}
		localized := f
		if was.Localized {
			localized = was
		}
		isMap, err := k.locales.IsMap(localized, raw)
		if err != nil {
			return err
		}
		switch {
		case isMap && was.Localized:
			k.add(h, "fields."+f.Key, schema.CodeType, heldByLocale)
		case isMap:
			k.add(h, "fields."+f.Key, schema.CodeType, "is an object that would be read as a map of locales; clear it before the field becomes localized")
		}
	}
	return nil
}

// member returns a top-level value; nil where there is none.
func member(fields jsontext.Value, key string) (jsontext.Value, error) {
	members, err := value.Members(fields)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.Name == key {
			return m.Value, nil
		}
	}
	return nil, nil
}

const heldByLocale = "holds one value for each locale; clear it before the field stops being localized"

// explain is the message of a finding. What comes from times that the schemas in force say nothing of is told apart: nobody
// sees it to mend it.
func (k *contentCheck) explain(i fault.Item) string {
	if k.back {
		return i.Message + "; the entry is one of the earlier collection of this name, which was removed"
	}
	if k.was == nil {
		return i.Message
	}
	key := strings.TrimPrefix(i.Path, "fields.")
	if end := strings.IndexAny(key, ".["); end >= 0 {
		key = key[:end]
	}
	was, f := k.was.Field(key), k.now.Field(key)
	switch {
	case f == nil:
	case was == nil && i.Code != string(schema.CodeRequired):
		return i.Message + "; the value is one of an earlier field of this name, which was removed: the next edit of the entry drops it"
	case was != nil && was.Type == f.Type && was.Localized && !f.Localized && i.Code == string(schema.CodeType) && i.Path == "fields."+key:
		return heldByLocale
	}
	return i.Message
}
