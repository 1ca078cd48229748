package demo

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// loadOnce is the demo, which tests only look at.
var loadOnce = sync.OnceValues(func() (*Content, error) { return Load(context.Background()) })

func loaded(t *testing.T) *Content {
	t.Helper()
	c, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheDemoIsAMagazineOfSomeSize(t *testing.T) {
	c := loaded(t)
	count := map[string]int{}
	for key := range c.Entries {
		count[key.Collection()]++
	}
	want := map[string]int{"articles": 28, "categories": 6, "desks": 5, "home": 1, "notes": 3}
	for name, n := range want {
		if count[name] != n {
			t.Errorf("%d entries in %s, want %d", count[name], name, n)
		}
	}
	for _, s := range c.Collections {
		private := s.Visibility == schema.VisibilityPrivate
		if private != (s.Name == "notes") {
			t.Errorf("%s is %s; only the notes are private", s.Name, s.Visibility)
		}
	}
}

func TestTheReleasesShowEveryKindOfChange(t *testing.T) {
	var create, edits, slugs, cleared, unpublish int
	for _, r := range loaded(t).Releases {
		create += len(r.Create)
		unpublish += len(r.Unpublish)
		for _, u := range r.Update {
			if strings.Contains(string(u.Data), `"title":`) {
				edits++
			}
			if u.Slug != "" {
				slugs++
			}
			cleared += strings.Count(string(u.Data), ":null")
		}
	}
	if create != 43 || edits < 2 || slugs != 1 || cleared != 1 || unpublish != 1 {
		t.Errorf("creates %d, edits %d titles, changes %d slugs, clears %d fields, unpublishes %d",
			create, edits, slugs, cleared, unpublish)
	}
}

// texts returns the localized texts of a field that have a value.
func texts(t *testing.T, fields jsontext.Value, name string) map[string]string {
	t.Helper()
	all, byLocale := map[string]jsontext.Value{}, map[string]string{}
	if len(fields) > 0 {
		if err := json.Unmarshal(fields, &all); err != nil {
			t.Fatal(err)
		}
	}
	if all[name] != nil {
		if err := json.Unmarshal(all[name], &byLocale); err != nil {
			t.Fatal(err)
		}
	}
	return byLocale
}

// bodies calls check for every text that an article has in its life.
func bodies(t *testing.T, c *Content, check func(key Key, locale, body string)) {
	t.Helper()
	versions := map[Key][]jsontext.Value{}
	for key, fields := range c.Entries {
		versions[key] = append(versions[key], fields)
	}
	for _, r := range c.Releases {
		for _, u := range r.Update {
			versions[u.Entry] = append(versions[u.Entry], u.Data)
		}
	}
	for key, list := range versions {
		for _, fields := range list {
			if key.Collection() == "articles" {
				for locale, body := range texts(t, fields, "body") {
					check(key, locale, body)
				}
			}
		}
	}
}

func TestArticlesAreOfArticleLength(t *testing.T) {
	bodies(t, loaded(t), func(key Key, locale, body string) {
		if n := len(strings.Fields(body)); n < 150 || n > 400 {
			t.Errorf("%s has %d words in %q", key, n, locale)
		}
	})
}

func TestLinksBetweenArticlesLeadSomewhere(t *testing.T) {
	c, links := loaded(t), 0
	link := regexp.MustCompile(`\]\(([^)]*)\)`)
	bodies(t, c, func(key Key, _, body string) {
		for _, m := range link.FindAllStringSubmatch(body, -1) {
			links++
			if c.Entries[Key(strings.TrimPrefix(m[1], "/"))] == nil {
				t.Errorf("%s links to %s, which is no entry", key, m[1])
			}
		}
	})
	if links == 0 {
		t.Error("found no link to check")
	}
}

func TestEditionsDiffer(t *testing.T) {
	c := loaded(t)
	for key := range c.Entries {
		for _, name := range []string{"standfirst", "body", "about", "description", "intro"} {
			if key.Collection() == "notes" {
				continue
			}
			if byLocale := texts(t, c.Entries[key], name); len(byLocale) > 0 && byLocale["en"] == byLocale["de"] {
				t.Errorf("%s: %s reads the same in both locales", key, name)
			}
		}
	}
}
