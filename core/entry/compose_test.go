package entry

import (
	"testing"

	"svc/shared/schema"
	"svc/shared/validate"
	"svc/shared/value"
)

// FuzzCompose lays written data over a stored entry: whatever the data, the outcome is findings or a stored form that
// is valid, keeps what was not written, and stays as it is when it is written again.
func FuzzCompose(f *testing.F) {
	c, err := schema.Parse([]byte(`{"name": "posts", "titleField": "title", "fields": {
		"title": {"type": "text", "required": true, "localized": true}, "slug": {"type": "slug"},
		"rating": {"type": "number"}, "any": {"type": "json"}, "tags": {"type": "list", "of": {"type": "text"}}}}`))
	if err != nil {
		f.Fatal(err)
	}
	under := frame{schema: c, version: 1, locales: value.Locales{Codes: []string{"en", "de"}, Default: "en"}}
	for _, seed := range []string{
		`{}`, `{"title": {"de": "Ä"}}`, `{"title": "plain"}`, `{"title": null}`, `{"slug": "a-b"}`, `{"slug": null, "rating": 1e5}`,
		`{"any": {"a": [1, "\u0061", null]}, "tags": ["x"]}`, `{"title": {"en": "x"}, "nosuch": 1}`, `{"\u0074itle": {"en": "y"}}`,
	} {
		f.Add([]byte(seed))
	}
	stored := []byte(`{"title":{"de":"Eins","en":"One"},"slug":"one","rating":10}`)
	f.Fuzz(func(t *testing.T, data []byte) {
		compact, err := Write{Data: data}.check()
		if err != nil {
			return
		}
		w, err := under.slugIntentOf(compact, nil)
		if err != nil {
			return
		}
		merged, err := under.merge(stored, compact)
		if err != nil {
			t.Fatalf("%s over %s: %v", data, stored, err)
		}
		made, items, err := under.finish(merged, w.slug, false)
		if err != nil {
			t.Fatalf("%s over %s: %v", data, stored, err)
		}
		if len(items) > 0 {
			return
		}
		if found, err := validate.Stored(c, under.locales, made.fields); err != nil || len(found) > 0 {
			t.Fatalf("%s was stored and is not valid: %v, %v", made.fields, found, err)
		}
		again, items, err := under.finish(made.fields, made.slug, false)
		if err != nil || len(items) > 0 || string(again.fields) != string(made.fields) || again.hash != made.hash {
			t.Fatalf("%s became %s: %v, %v", made.fields, again.fields, items, err)
		}
	})
}
