package readtest

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// docs are pages of a real site, and searches over them. The README there says where they are from.
//
//go:embed testdata/docs
var docs embed.FS

const docsSchema = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text","localized":true},"description":{"type":"text","localized":true},"body":{"type":"markdown","localized":true},"type":{"type":"text"},"slug":{"type":"slug"}}}`

// docsPage is a line of pages.jsonl.zst.
type docsPage struct {
	Release                                uint64
	Path, Locale, Title, Description, Type string
	Body                                   string
	Gone                                   bool
}

// docsSite is the pages by path and locale, of one release.
type docsSite map[string]map[string]docsPage

func (s docsSite) put(p docsPage) {
	if s[p.Path] == nil {
		s[p.Path] = map[string]docsPage{}
	}
	if p.Gone {
		delete(s[p.Path], p.Locale)
	} else {
		s[p.Path][p.Locale] = p
	}
}

// loadDocs returns the site at both releases.
func loadDocs(t *testing.T) (first, second docsSite) {
	t.Helper()
	coded, err := docs.ReadFile("testdata/docs/pages.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := decode("zstd", coded)
	if err != nil {
		t.Fatal(err)
	}
	first, second = docsSite{}, docsSite{}
	for lines := json.NewDecoder(bytes.NewReader(plain)); ; {
		var p docsPage
		if err := lines.Decode(&p); errors.Is(err, io.EOF) {
			return first, second
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Release == 0 {
			first.put(p)
		}
		second.put(p)
	}
}

// fields is the entry of a page in all its locales.
func (s docsSite) fields(t *testing.T, path string) string {
	t.Helper()
	var title, description, body = map[string]string{}, map[string]string{}, map[string]string{}
	kind := ""
	for locale, p := range s[path] {
		title[locale], description[locale], body[locale], kind = p.Title, p.Description, p.Body, p.Type
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	for i, field := range []struct {
		name  string
		value any
	}{{"title", title}, {"description", description}, {"body", body}, {"type", kind}, {"slug", docsSlug(path)}} {
		fmt.Fprintf(&b, "%c%q:", "{,"[min(i, 1)], field.name)
		if err := encoder.Encode(field.value); err != nil { // which ends with a line break
			t.Fatal(err)
		}
		b.Truncate(b.Len() - 1)
	}
	return b.String() + "}"
}

func docsSlug(path string) string { return strings.ReplaceAll(path, "/", "-") }

// publishDocs makes a project of the site, as releases 1 and 2, and returns its slugs; entry n has the n-th, from 1.
func publishDocs(t *testing.T, s Subject) (f *fixture, slugs []string) {
	first, second := loadDocs(t)
	f = newFixture(t, s, 1)
	f.set(func(s *Settings) {
		s.Locales, s.DefaultLocale = []string{"en", "ar", "de", "fr", "hi", "ja", "ko", "ru", "zh-CN"}, "en"
	})
	f.put(Version{Name: "posts", Version: 9, Label: "Pages", Canonical: []byte(docsSchema)})
	paths := slices.Sorted(maps.Keys(first))
	for i, site := range []docsSite{first, second} {
		var items []Item
		for n, path := range paths {
			switch {
			case len(site[path]) == 0:
				items = append(items, gone(uint64(n+1)))
			case i == 0 || !maps.Equal(first[path], second[path]):
				it := f.post(uint64(n+1), docsSlug(path))
				it.SchemaVersion, it.Fields = 9, site.fields(t, path)
				items = append(items, it)
			}
		}
		f.publish(items...)
	}
	for _, path := range paths {
		slugs = append(slugs, docsSlug(path))
	}
	return f, slugs
}

// docsQuery is a line of queries.txt.
type docsQuery struct {
	line                int
	query               string // of a list
	must, not           []string
	allOthers, noOthers bool
}

var docsCharacter = regexp.MustCompile(`\{U\+([0-9A-F]{4})\}`)

func loadDocsQueries(t *testing.T) (all []docsQuery) {
	t.Helper()
	text, err := docs.ReadFile("testdata/docs/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		if len(parts) != 5 {
			t.Fatalf("queries.txt:%d has %d columns", i+1, len(parts))
		}
		for n, part := range parts {
			parts[n] = docsCharacter.ReplaceAllStringFunc(strings.TrimSpace(part), func(s string) string {
				code, _ := strconv.ParseInt(docsCharacter.FindStringSubmatch(s)[1], 16, 32) // the pattern made it a number
				return string(rune(code))
			})
		}
		query := url.Values{"q": {parts[0]}}
		for name, value := range map[string]string{"locale": parts[1], "at": parts[2]} {
			if value != "" {
				query.Set(name, value)
			}
		}
		all = append(all, docsQuery{
			line: i + 1, query: query.Encode(), must: strings.Fields(strings.ReplaceAll(parts[3], "*", "")), not: strings.Fields(strings.ReplaceAll(parts[4], "*", "")),
			allOthers: parts[3] == "*", noOthers: strings.Contains(parts[4], "*"),
		})
	}
	return all
}

// docsSearches: what searches find in pages of many languages, and that every store finds the same.
func docsSearches(t *testing.T, s Subject) {
	f, slugs := publishDocs(t, s)
	var model *fixture // what is held against itself needs none
	if _, is := s.(*Memory); !is {
		model, _ = publishDocs(t, NewMemory())
	}
	named := func(q docsQuery, name string) string {
		i := slices.IndexFunc(slugs, func(slug string) bool { return strings.Contains(slug, name) })
		if i < 0 || slices.ContainsFunc(slugs[i+1:], func(slug string) bool { return strings.Contains(slug, name) }) {
			t.Fatalf("queries.txt:%d: %q does not name one entry of %q", q.line, name, slugs)
		}
		return slugs[i]
	}
	queries := loadDocsQueries(t)
	if len(queries) < 80 {
		t.Errorf("only %d searches", len(queries))
	}
	for _, q := range queries {
		numbers := f.listed("limit=100&" + q.query)
		if model != nil {
			if same := model.listed("limit=100&" + q.query); !slices.Equal(numbers, same) {
				t.Errorf("queries.txt:%d: %s finds %d, and the model %d", q.line, q.query, numbers, same)
			}
		}
		var found []string
		for _, n := range numbers {
			found = append(found, slugs[n-1])
		}
		var must []string
		for _, name := range q.must {
			must = append(must, named(q, name))
		}
		for _, slug := range must {
			if !slices.Contains(found, slug) {
				t.Errorf("queries.txt:%d: %s does not find %s", q.line, q.query, slug)
			}
		}
		for _, name := range q.not {
			if slug := named(q, name); slices.Contains(found, slug) {
				t.Errorf("queries.txt:%d: %s finds %s", q.line, q.query, slug)
			}
		}
		if q.noOthers && len(found) > len(must) {
			t.Errorf("queries.txt:%d: %s finds %s, and should find %s alone", q.line, q.query, found, must)
		}
		if q.allOthers && len(found) != len(slugs)-1 { // one is gone
			t.Errorf("queries.txt:%d: %s finds %s alone", q.line, q.query, found)
		}
	}
}
