package api_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/core/asset/assettest"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/schema/schematest"
)

// site is a project with a random collection of things, which is driven over HTTP alone.
type site struct {
	*bed
	t       *rapid.T
	path    string // of the project
	things  *schema.Collection
	locales []string
	named   map[string][]string // published entries and assets that things may name, by the prefix of their ids
	slugs   int                 // that were given out
}

var sites atomic.Int64

func newSite(b *bed, t *rapid.T) *site {
	slug := fmt.Sprintf("laws-%d", sites.Add(1))
	s := &site{bed: b, t: t, path: "/v1/projects/" + slug, named: map[string][]string{}}
	var made wire.Envelope[wire.Project]
	s.ask(&made, "POST", "/v1/organizations/acme/projects", map[string]string{"slug": slug, "name": slug})
	if rapid.Bool().Draw(t, "locales") {
		s.locales = []string{"en", "de", "fr"}
		s.ask(nil, "PATCH", s.path, map[string]any{"locales": s.locales, "defaultLocale": s.locales[0]})
	}
	file := drawThings(t)
	var err error
	if s.things, err = schema.Parse(file); err != nil {
		t.Fatal(err)
	}
	s.ask(nil, "POST", s.path+"/schema/push", map[string]any{"collections": []jsontext.Value{
		file, jsontext.Value(`{"name":"anchors","fields":{"name":{"type":"text"}}}`),
	}})
	set := s.set()
	for range 2 {
		var w wire.Envelope[wire.Written]
		s.ask(&w, "POST", s.path+"/collections/anchors/entries", map[string]any{"data": map[string]any{}, "changeSetId": set})
		s.named["ent"] = append(s.named["ent"], string(w.Data.Entry.ID))
		s.named["ast"] = append(s.named["ast"], string(assettest.Insert(b, b.pool, content.ProjectID(made.Data.ID), "image/png")))
	}
	s.publish(set)
	return s
}

// drawThings draws a collection, public and without a policy, whose references lead to anchors.
func drawThings(t *rapid.T) jsontext.Value {
	file := schematest.Files().Draw(t, "collection").Plain()
	var members map[string]jsontext.Value
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(file), `"to":"things"`, `"to":"anchors"`)), &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "policy")
	delete(members, "kind")
	members["visibility"] = jsontext.Value(`"public"`)
	out, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ask makes a request that must be answered well, and decodes the answer unless out is nil.
func (s *site) ask(out any, method, path string, in any) {
	if a := s.answer(method, path, in); a.status/100 != 2 {
		s.t.Fatalf("%s %v: %d %s", a.what, shownBody(in), a.status, a.body)
	} else if out != nil {
		if err := json.Unmarshal(a.body, out); err != nil {
			s.t.Fatalf("%s: %v: %s", a.what, err, a.body)
		}
	}
}

// answer makes a request; in is encoded unless it is nil.
func (s *site) answer(method, path string, in any) answer {
	body := ""
	if in != nil {
		body = shownBody(in)
	}
	a, err := s.try(s.owner, method, path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func shownBody(in any) string {
	text, err := json.Marshal(in, json.Deterministic(true))
	if err != nil {
		panic(err) // tests encode maps and texts
	}
	return string(text)
}

// set opens a change set.
func (s *site) set() string {
	var set wire.Envelope[wire.ChangeSet]
	s.ask(&set, "POST", s.path+"/change-sets", map[string]string{"title": "Set"})
	return string(set.Data.ID)
}

// publish publishes a set and returns the number of the release.
func (s *site) publish(set string) uint64 {
	var out wire.Published
	s.ask(&out, "POST", s.path+"/change-sets/"+set+"/publish", map[string]bool{"confirm": true})
	return *out.ChangeSet.ReleaseNumber
}

// create stages a new thing and returns its id.
func (s *site) create(set string) string {
	in := map[string]any{"data": s.fresh(), "changeSetId": set}
	if s.things.HasSlug() {
		in["slug"] = s.newSlug()
	}
	var w wire.Envelope[wire.Written]
	s.ask(&w, "POST", s.path+"/collections/things/entries", in)
	return string(w.Data.Entry.ID)
}

func (s *site) newSlug() string {
	s.slugs++
	return fmt.Sprintf("slug-%d", s.slugs)
}

var idText = regexp.MustCompile(`(ent|ast)_[0-9a-z]{26}`)

// fresh draws the fields of a thing, without its slug.
func (s *site) fresh() tree {
	entry := idText.ReplaceAllStringFunc(string(schematest.Entry(s.t, s.things, s.locales)), func(id string) string {
		return rapid.SampledFrom(s.named[id[:3]]).Draw(s.t, "named")
	})
	fields := s.tree(jsontext.Value(entry))
	if f := s.things.SlugField(); f != nil {
		delete(fields, f.Key)
	}
	return fields
}

// patch stages a state of an entry whose base is given.
func (s *site) patch(set, entry string, base, next tree) {
	data := tree{}
	for name := range base {
		if _, stays := next[name]; !stays {
			data[name] = leaf("null")
		}
	}
	for name, v := range next {
		if was, had := base[name]; !had || shownBody(was) != shownBody(v) {
			data[name] = v
		}
	}
	in := map[string]any{"changeSetId": set}
	if v, changed := data[s.slugKey()]; changed {
		in["slug"] = v
		delete(data, s.slugKey())
	}
	in["data"] = data
	s.ask(nil, "PATCH", s.path+"/entries/"+entry, in)
}

// slugKey is the name by which the slug of a thing is one of its fields.
func (s *site) slugKey() string {
	if f := s.things.SlugField(); f != nil {
		return f.Key
	}
	return "slug"
}

// fields are those of a head, with the slug among them; those of none are none.
func (s *site) fields(h *wire.Head) tree {
	if h == nil {
		return tree{}
	}
	fields := s.tree(h.Fields)
	if s.things.HasSlug() && h.Slug != nil {
		fields[s.slugKey()] = leaf(`"` + *h.Slug + `"`)
	}
	return fields
}

// entry reads an entry, and with a set the draft that it proposes.
func (s *site) entry(id, set string) wire.Entry {
	query := ""
	if set != "" {
		query = "?changeSetId=" + set
	}
	var e wire.Envelope[wire.EntryInSets]
	s.ask(&e, "GET", s.path+"/entries/"+id+query, nil)
	return e.Data.Entry
}

func (s *site) published(id string) tree { return s.fields(s.entry(id, "").Published) }

func (s *site) proposed(set, id string) tree { return s.fields(s.entry(id, set).Draft) }

// diff reads the diff of a set, page by page.
func (s *site) diff(set string) (all []wire.ItemDiff) {
	query := url.Values{"limit": {fmt.Sprint(rapid.IntRange(1, 3).Draw(s.t, "page"))}}
	for {
		var page wire.List[wire.ItemDiff]
		s.ask(&page, "GET", s.path+"/change-sets/"+set+"/diff?"+query.Encode(), nil)
		all = append(all, page.Data...)
		if page.Pagination.NextCursor == nil {
			return all
		}
		query.Set("cursor", *page.Pagination.NextCursor)
	}
}

// changes are those that a set makes to an entry.
func (s *site) changes(set, entry string) []wire.Change {
	items := s.diff(set)
	at := slices.IndexFunc(items, func(i wire.ItemDiff) bool { return i.ResourceID == entry })
	if at < 0 {
		s.t.Fatalf("the diff lacks %s: %v", entry, items)
	}
	return items[at].Changes
}

// things with their fields and slugs, as anyone reads them at a release; before the first there are none.
func (s *site) at(release uint64) map[string]string {
	out := map[string]string{}
	if release == 0 {
		return out
	}
	var page wire.List[wire.PublicEntry]
	s.ask(&page, "GET", fmt.Sprintf("%s/collections/things/entries?limit=100&at=%d", s.path, release), nil)
	for _, e := range page.Data {
		out[string(e.ID)] = fmt.Sprintf("%s %s", shownBody(e.Slug), e.Fields)
	}
	return out
}
