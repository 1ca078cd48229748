package demo

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/validate"
	"svc/shared/value"
)

// Every state that a release leaves an entry in is one that a deployment takes and that readers can use: it fits its
// collection by the service's own rules, is there in every locale, and refers to what is live.
func TestEveryReleaseLeavesAStateThatFits(t *testing.T) {
	c := loaded(t)
	states, created := map[Key]map[string]jsontext.Value{}, map[Key]bool{}
	slugs := map[Key]string{}
	lay := func(key Key, fields jsontext.Value) {
		members, err := value.Members(fields)
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		for _, m := range members {
			if states[key][m.Name] = m.Value; m.Value.Kind() == 'n' {
				delete(states[key], m.Name)
			}
			for _, target := range references(m.Value) {
				if states[target] == nil {
					t.Errorf("%s refers to %s, which is not live by then", key, target)
				}
			}
		}
	}
	for _, r := range c.Releases {
		if r.Title == "" || len(r.Create)+len(r.Update)+len(r.Unpublish) == 0 {
			t.Errorf("a release has no title, or changes nothing: %+v", r)
		}
		for _, key := range r.Create {
			if c.Entries[key] == nil || created[key] {
				t.Errorf("%s is created twice, or does not exist", key)
			}
			states[key], slugs[key], created[key] = map[string]jsontext.Value{}, key.Slug(), true
			lay(key, c.Entries[key])
		}
		for _, u := range r.Update {
			if states[u.Entry] == nil {
				t.Fatalf("updates %s, which is not live", u.Entry)
			}
			if u.Slug != "" {
				slugs[u.Entry] = u.Slug
			}
			if u.Data != nil {
				lay(u.Entry, u.Data)
			}
		}
		for _, key := range r.Unpublish {
			if states[key] == nil {
				t.Errorf("%s cannot be unpublished: it is not live", key)
			}
			delete(states, key)
			delete(slugs, key)
		}
		taken := map[string]bool{}
		for key, fields := range states {
			if address := key.Collection() + "/" + slugs[key]; taken[address] || !schema.IsSlug(slugs[key]) {
				t.Errorf("%s: its address %s is taken, or none", key, address)
			} else {
				taken[address] = true
			}
			checkState(t, c, key, fields, states)
		}
	}
	if len(created) != len(c.Entries) {
		t.Errorf("the releases create %d entries, and there are %d", len(created), len(c.Entries))
	}
}

func checkState(t *testing.T, c *Content, key Key, fields map[string]jsontext.Value, live map[Key]map[string]jsontext.Value) {
	t.Helper()
	collection := c.Collection(key.Collection())
	if collection.Kind == schema.KindSingleton && key.Slug() != collection.Name {
		t.Errorf("the only entry of a singleton must be %s/%s", collection.Name, collection.Name)
	}
	ids := map[Key]string{}
	whole := maps.Clone(fields)
	for name, v := range fields {
		f := collection.Field(name)
		targets := references(v)
		for _, target := range targets {
			ids[target] = string(content.NewID[content.EntryID]())
			if f == nil || f.Type != schema.TypeReference || target.Collection() != f.To || live[target] == nil {
				t.Errorf("%s: %s refers to %s, which is not live or does not belong there", key, name, target)
			}
		}
		if f != nil && f.Type == schema.TypeReference && strings.Count(string(v), `"`) != 2*len(targets) {
			t.Errorf("%s: %s must refer to entries of the demo: %s", key, name, v)
		}
		if f != nil && f.Localized {
			checkLocales(t, key, name, v)
		}
	}
	if slug := collection.SlugField(); slug != nil {
		if fields[slug.Key] != nil {
			t.Errorf("%s: the file's name is the slug", key)
		}
		whole[slug.Key] = jsontext.Value(`"` + key.Slug() + `"`)
	}
	data, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	s := &seeder{content: c, ids: ids}
	if data, err = s.resolve(data); err != nil {
		t.Fatal(err)
	}
	locales := value.Locales{Codes: Locales(), Default: DefaultLocale}
	stored, findings := validate.Entry(collection, locales, data, value.FillRequired)
	if len(findings) == 0 { // every state is published, so the policy counts too
		noAsset := func(content.AssetID) (validate.Asset, bool) { return validate.Asset{}, false }
		if findings, err = validate.PolicyOf(collection).Check(locales, stored, noAsset); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range findings {
		t.Errorf("%s: %s: %s", key, f.Path, f.Message)
	}
}

func checkLocales(t *testing.T, key Key, name string, v jsontext.Value) {
	t.Helper()
	var byLocale map[string]jsontext.Value
	if err := json.Unmarshal(v, &byLocale); err != nil {
		t.Errorf("%s: %s must be a map of locales", key, name)
	}
	for _, locale := range Locales() {
		if slices.Contains([]string{"", "null", `""`, "{}", "[]"}, string(byLocale[locale])) {
			t.Errorf("%s: %s has no value in %q", key, name, locale)
		}
	}
}

// references lists the entries that a value refers to.
func references(v jsontext.Value) []Key {
	var keys []Key
	for _, part := range strings.Split(string(v), `"`+refPrefix)[1:] {
		key, _, _ := strings.Cut(part, `"`)
		keys = append(keys, Key(key))
	}
	return keys
}

func TestReferencesAreResolvedAnywhere(t *testing.T) {
	s := &seeder{ids: map[Key]string{"desks/food": "<food>", "home/home": "<home>"}}
	got, err := s.resolve(jsontext.Value(`{"a":"ref:desks/food","b":["ref:desks/food","ref:home/home"],"c":{"en":"see ref:x"},"n":1.50}`))
	const want = `{"a":"<food>","b":["<food>","<home>"],"c":{"en":"see ref:x"},"n":1.50}`
	if err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := s.resolve(jsontext.Value(`{"a":["ref:desks/sports"]}`)); err == nil || !strings.Contains(err.Error(), "/a/0 refers to desks/sports") {
		t.Errorf("got %v", err)
	}
}
