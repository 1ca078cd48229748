package demo

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
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
	raw, ok, err := value.Lookup(fields, "fields."+name)
	if err != nil {
		t.Fatal(err)
	}
	byLocale := map[string]string{}
	if ok {
		if err := json.Unmarshal(raw, &byLocale); err != nil {
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
	for _, key := range c.keys() {
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

func TestLoadRefusesWhatADeploymentOrAReaderWouldStumbleOver(t *testing.T) {
	const article = "content/articles/windfalls.json"
	cases := []struct{ name, file, old, new, want string }{
		{"a schema with an unknown option", "schema/desks.ts", `titleField`, `titelField`, "desks.ts:3:16: titelField"},
		{"an undeclared field", article, `"standfirst"`, `"stand"`, "articles/windfalls: fields.stand: there is no such field"},
		{"a missing required field", article, `"title": {`, `"standfirst2": {`, "articles/windfalls: fields.title: is required"},
		{"a banned term", article, `"de": "Fallobst"`, `"de": "Geheimtipp Fallobst"`, "articles/windfalls: fields.title.de: must not contain"},
		{"a missing locale", article, `"de": "Fallobst"`, `"fr": "Fruits"`, `title: has no value in "de"`},
		{"an undeclared locale", article, `"de": "Fallobst"`, `"fr": "Fruits"`, "fields.title.fr: is not a locale"},
		{"a plain value where a map belongs", "content/categories/water.json", `"description": {`, `"description": "wet", "more": {`, "description: must be a map of locales"},
		{"an empty text", article, `"Fallobst"`, `""`, `fields.title: has no value in "de"`},
		{"a value of the wrong type", article, `"featured": false`, `"featured": "no"`, "featured"},
		{"a number out of bounds", article, `"readingMinutes": 2`, `"readingMinutes": 0`, "readingMinutes"},
		{"a reference to another collection", article, `ref:desks/food`, `ref:categories/water`, `must be a reference such as "ref:desks/…"`},
		{"a reference to nothing", article, `ref:desks/food`, `ref:desks/sports`, "there is no entry desks/sports"},
		{"a reference in a text", article, `"Fallobst"`, `"ref:desks/food"`, "fields.title: must not hold references"},
		{"an id", article, `ref:desks/food`, `ent_01h455vb4pex5vsknk084sn02q`, "must be a reference such as"},
		{"an unknown nested field", article, `"description"`, `"summary"`, "there is no such field"},
		{"a slug among the fields", article, `"desk"`, `"slug": "apples", "desk"`, "fields.slug: the file's name is the slug"},
		{"an update that clears what is required", "releases.json", `"about": null`, `"about": null, "title": null`, "update of notes/walk-in-october: fields.title: is required"},
		{"a release with an unknown member", "releases.json", `"create"`, `"add"`, "add"},
		{"a release that creates nothing known", "releases.json", `"articles/windfalls"`, `"articles/windfall"`, "creates articles/windfall, which does not exist"},
		{"an entry that no release creates", "releases.json", `"articles/windfalls",`, ``, "articles/windfalls: no release creates it"},
		{"an entry created twice", "releases.json", `"articles/windfalls",`, `"desks/food",`, "creates desks/food a second time"},
		{"a reference to what comes later", "releases.json", `"desks/food",`, ``, "refers to desks/food, which is not live by then"},
		{"an update of what is not live", "releases.json", `"entry": "articles/the-map-after-midnight"`, `"entry": "articles/the-slowest-gardeners"`, "updates articles/the-slowest-gardeners, which is not live"},
		{"an unpublish that leaves a reference", "releases.json", `"about": null`, `"title": "Over"`, "notes/walk-in-october is left with a reference"},
		{"an unpublish of what the front page shows", "releases.json", `"unpublish": [`, `"unpublish": ["articles/one-over-two",`, `home/home is left with a reference to articles/one-over-two in "picks"`},
		{"a taken address", "releases.json", `"slug": "night-buses"`, `"slug": "windfalls"`, "both have the address articles/windfalls"},
		{"a slug that is none", "releases.json", `"slug": "night-buses"`, `"slug": "Night Buses"`, "cannot be its slug"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			fsys := altered(t, c.file, c.old, c.new)
			under := &Content{Collections: loaded(t).Collections, Entries: map[Key]jsontext.Value{}}
			err := under.readContent(fsys)
			if strings.HasPrefix(c.file, "schema/") {
				_, err = load(t.Context(), fsys)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// altered is the demo with the first occurrence of old replaced in one file.
func altered(t *testing.T, file, old, replacement string) fs.FS {
	t.Helper()
	fsys := fstest.MapFS{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		fsys[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := string(fsys[file].Data)
	after := strings.Replace(before, old, replacement, 1)
	if after == before {
		t.Fatalf("%s does not contain %q", file, old)
	}
	fsys[file].Data = []byte(after)
	return fsys
}

func TestReferencesAreFoundAndResolvedAnywhere(t *testing.T) {
	data := jsontext.Value(`{"a":"ref:desks/food","b":["ref:desks/food","ref:home/home"],"c":{"en":"see ref:x"},"n":1.50}`)
	keys, err := references(data)
	if err != nil || !slices.Equal(keys, []Key{"desks/food", "home/home"}) {
		t.Fatalf("got %v, %v", keys, err)
	}
	got, err := resolve(data, func(k Key) (string, error) { return "<" + k.Slug() + ">", nil })
	want := `{"a":"<food>","b":["<food>","<home>"],"c":{"en":"see ref:x"},"n":1.50}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}
