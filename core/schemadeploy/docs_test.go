package schemadeploy_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

// pieceSite is a piece of the text of a real documentation site, one file with a page in one locale per line.
const pieceSite = "../../deploy/e2e/testdata/docs/docs-base.jsonl.zst"

// docText is a page in one locale.
type docText struct {
	Path        string `json:"path"`
	Locale      string `json:"locale"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Type        string `json:"type"`
	I18nReady   bool   `json:"i18nReady"`
	Body        string `json:"body"`
}

// docPage is the content of an entry: each field by locale.
type docPage struct {
	Title       map[string]string `json:"title"`
	Slug        string            `json:"slug"`
	Description map[string]string `json:"description"`
	Type        map[string]string `json:"type"`
	I18nReady   map[string]bool   `json:"i18nReady"`
	Body        map[string]string `json:"body"`
}

// docSite is what a file holds.
type docSite struct {
	texts   []docText
	pages   map[string]docPage // by slug
	locales []string           // the default one first
}

// readSite reads a file.
func readSite(path string) (docSite, error) {
	site := docSite{pages: map[string]docPage{}, locales: []string{"en"}}
	file, err := os.Open(filepath.FromSlash(path))
	if err != nil {
		return site, err
	}
	defer file.Close()
	plain, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(1<<27), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return site, err
	}
	defer plain.Close()
	for dec := jsontext.NewDecoder(plain); ; {
		var text docText
		if err := json.UnmarshalDecode(dec, &text); errors.Is(err, io.EOF) {
			return site, nil
		} else if err != nil {
			return site, fmt.Errorf("%s: %w", path, err)
		}
		site.add(text)
	}
}

func (s *docSite) add(text docText) {
	s.texts = append(s.texts, text)
	if !slices.Contains(s.locales, text.Locale) {
		s.locales = append(s.locales, text.Locale)
	}
	slug := strings.ReplaceAll(text.Path, "/", "-")
	p, known := s.pages[slug]
	if !known {
		p = docPage{map[string]string{}, slug, map[string]string{}, map[string]string{}, map[string]bool{}, map[string]string{}}
		s.pages[slug] = p
	}
	p.Title[text.Locale], p.Description[text.Locale], p.Type[text.Locale] = text.Title, text.Description, text.Type
	p.I18nReady[text.Locale], p.Body[text.Locale] = text.I18nReady, text.Body
}

// count returns how many texts are so.
func (s *docSite) count(so func(docText) bool) int {
	n := 0
	for _, text := range s.texts {
		if so(text) {
			n++
		}
	}
	return n
}

// docs is the collection with other options for some of its fields.
func docs(options map[string]string) string {
	fields := []string{`"slug":{"type":"slug","from":"title"}`}
	for _, f := range []struct{ key, kind string }{{"title", "text"}, {"description", "text"}, {"type", "text"}, {"i18nReady", "boolean"}, {"body", "markdown"}, {"summary", "text"}} {
		more, given := options[f.key]
		if f.key == "summary" && !given {
			continue
		}
		fields = append(fields, fmt.Sprintf(`%q:{"type":%q,"localized":true%s}`, f.key, f.kind, more))
	}
	return `{"name":"docs","visibility":"public","titleField":"title","path":"/{slug}","fields":{` + strings.Join(fields, ",") + `}}`
}

func TestTheContentOfARealSite(t *testing.T) {
	t.Parallel()
	sites := []string{pieceSite}
	if whole := os.Getenv("SVC_BENCH_DATA"); whole != "" {
		sites = append(sites, filepath.Join(whole, filepath.Base(pieceSite)))
	}
	for _, path := range sites {
		t.Run(path, func(t *testing.T) {
			site, err := readSite(path)
			b := entrytest.New(t)
			b.OK(err)
			d := &docBed{b, site}
			d.fill()
			d.changeRequired()
			d.changeEnum()
			d.changeLengths()
			d.changeLocalized()
		})
	}
}

// docBed is a site on its way through the versions of its collection.
type docBed struct {
	*entrytest.Bed
	site docSite
}

// fill pushes the collection, imports the site, validates and publishes it, and reads it back.
func (d *docBed) fill() {
	d.Helper()
	_, err := schemadeploy.Configure(d.Context(), d.Pool, d.Actor, d.ID, project.Settings{Locales: &d.site.locales, DefaultLocale: &d.site.locales[0]})
	d.OK(err)
	d.Bed.Push(docs(nil), entrytest.Posts, entrytest.Authors)
	slugs := slices.Sorted(maps.Keys(d.site.pages))
	made, err := entry.Import(d.Context(), d.Pool, d.Actor, d.ID, "docs", entry.ImportOptions{}, func(yield func(entry.ImportRow, error) bool) {
		for _, slug := range slugs {
			raw, err := json.Marshal(d.site.pages[slug])
			if !yield(entry.ImportRow{Data: raw}, err) {
				return
			}
		}
	})
	d.OK(err)
	if made.Created != len(slugs) {
		d.Fatalf("%d of %d pages were made", made.Created, len(slugs))
	}
	found, err := changeset.Validate(d.Context(), d.Pool, d.Actor, d.ID, string(made.ChangeSet.ID))
	d.OK(err)
	if found.Detail != "" {
		d.Fatal(found.Detail)
	}
	d.Publish(made.ChangeSet)
	rows, err := d.Pool.Query(d.Context(), `SELECT e.published_slug, r.fields FROM entry e JOIN revision r ON r.id = e.published_revision_id WHERE e.collection = 'docs'`)
	d.OK(err)
	defer rows.Close()
	read := 0
	for rows.Next() {
		var slug, fields string
		d.OK(rows.Scan(&slug, &fields))
		var page docPage
		d.OK(json.Unmarshal([]byte(fields), &page))
		if want := d.site.pages[slug]; fmt.Sprint(page) != fmt.Sprint(want) {
			d.Fatalf("%s reads %.200s", slug, fields)
		}
		read++
	}
	d.OK(rows.Err())
	if read != len(slugs) {
		d.Fatalf("%d of %d pages are published", read, len(slugs))
	}
}

// outcome is what a push is expected to do.
type outcome struct {
	class   diff.Class
	kind    diff.Kind // of the one operation; empty where there are others
	version uint32    // afterwards
	// misfits is how many places keep the push from taking effect, each with this code and at a path with this start.
	misfits    int
	code, path string
}

// push says what a diff and a push make of a version of the collection, and holds that against what is expected.
func (d *docBed) push(what string, options map[string]string, want outcome) {
	d.Helper()
	in := entrytest.Proposal(docs(options), entrytest.Posts, entrytest.Authors)
	planned, err := schemadeploy.Diff(d.Context(), d.Pool, d.Actor, d.ID, in.Collections)
	d.OK(err)
	if planned.Plan.Class != want.class || planned.ContentErrorCount != want.misfits || len(planned.ContentErrors) != min(want.misfits, 100) {
		d.Fatalf("%s: the diff is %s with %d misfits, %d listed; want %+v", what, planned.Plan.Class, planned.ContentErrorCount, len(planned.ContentErrors), want)
	}
	if want.kind != "" && (len(planned.Plan.Operations) != 1 || planned.Plan.Operations[0].Kind != want.kind) {
		d.Fatalf("%s: %+v", what, planned.Plan.Operations)
	}
	for _, e := range planned.ContentErrors {
		if e.Code != want.code || !strings.HasPrefix(e.Path, want.path) || e.Message == "" {
			d.Fatalf("%s: %+v", what, e)
		}
	}
	out, err := schemadeploy.Push(d.Context(), d.Pool, d.Actor, d.ID, in)
	switch {
	case want.misfits > 0:
		if f := d.Refused(err, fault.ValidationFailed); len(f.Items) != min(want.misfits, 100) {
			d.Fatalf("%s: %d items", what, len(f.Items))
		}
	case want.class == destructive:
		d.Refused(err, fault.SchemaChangeDestructive)
	default:
		d.OK(err)
		if out.Versions["docs"] != want.version {
			d.Fatalf("%s: version %d, want %d", what, out.Versions["docs"], want.version)
		}
	}
	now, err := schemadeploy.Get(d.Context(), d.Pool, d.ID, "docs")
	d.OK(err)
	if now.Version != want.version {
		d.Fatalf("%s: version %d is in force, want %d", what, now.Version, want.version)
	}
}

// changeRequired starts from version 1 and ends there.
func (d *docBed) changeRequired() {
	d.Helper()
	d.push("titles become required, and every page has one in the default locale", map[string]string{"title": `,"required":true`}, outcome{class: conditional, kind: diff.MadeRequired, version: 2})
	d.push("titles become optional again", nil, outcome{class: safe, kind: diff.MadeOptional, version: 1})
	d.push("summaries are added", map[string]string{"summary": ""}, outcome{class: safe, kind: diff.FieldAdded, version: 3})
	d.push("summaries become required, and no page has one", map[string]string{"summary": `,"required":true`},
		outcome{class: conditional, kind: diff.MadeRequired, version: 3, misfits: len(d.site.pages), code: "required", path: "fields.summary"})
	d.push("summaries become required with a default", map[string]string{"summary": `,"required":true,"default":"-"`}, outcome{class: conditional, version: 4})
	d.push("summaries lose the default they count on", map[string]string{"summary": `,"required":true`},
		outcome{class: safe, kind: diff.DefaultChanged, version: 4, misfits: len(d.site.pages), code: "required", path: "fields.summary"})
	d.push("summaries become optional", map[string]string{"summary": `,"default":"-"`}, outcome{class: safe, kind: diff.MadeOptional, version: 5})
	d.push("summaries go", nil, outcome{class: destructive, kind: diff.FieldRemoved, version: 5})
}

// changeEnum starts from version 5.
func (d *docBed) changeEnum() {
	d.Helper()
	used := map[string]int{}
	for _, text := range d.site.texts {
		used[text.Type]++
	}
	kinds := slices.Sorted(maps.Keys(used))
	enum := func(members []string) map[string]string {
		raw, err := json.Marshal(members)
		d.OK(err)
		return map[string]string{"summary": `,"default":"-"`, "type": `,"enum":` + string(raw)}
	}
	d.push("types become an enum of those in use", enum(kinds), outcome{class: conditional, kind: diff.ConstraintTightened, version: 6})
	d.push("the enum grows", enum(append(slices.Clip(kinds), "unheard of")), outcome{class: safe, kind: diff.ConstraintLoosened, version: 7})
	d.push("the enum shrinks by what no one uses", enum(kinds), outcome{class: conditional, kind: diff.ConstraintTightened, version: 6})
	d.push("the enum shrinks by what is in use", enum(kinds[1:]),
		outcome{class: conditional, kind: diff.ConstraintTightened, version: 6, misfits: used[kinds[0]], code: "enum", path: "fields.type."})
	d.push("the enum goes", map[string]string{"summary": `,"default":"-"`}, outcome{class: safe, kind: diff.ConstraintLoosened, version: 5})
}

// changeLengths starts from version 5. Lengths count code points, whatever the script.
func (d *docBed) changeLengths() {
	d.Helper()
	longest := 0
	for _, text := range d.site.texts {
		longest = max(longest, utf8.RuneCountInString(text.Body))
	}
	with := func(key, options string) map[string]string {
		return map[string]string{"summary": `,"default":"-"`, key: options}
	}
	d.push("bodies may be as long as the longest is", with("body", fmt.Sprintf(`,"maxLength":%d`, longest)), outcome{class: conditional, kind: diff.ConstraintTightened, version: 8})
	d.push("bodies must be shorter", with("body", `,"maxLength":2000`),
		outcome{class: conditional, version: 8, kind: diff.ConstraintTightened, code: "max_length", path: "fields.body.",
			misfits: d.site.count(func(t docText) bool { return utf8.RuneCountInString(t.Body) > 2000 })})
	d.push("bodies may be longer", with("body", fmt.Sprintf(`,"maxLength":%d`, longest+1)), outcome{class: safe, kind: diff.ConstraintLoosened, version: 9})
	empty := d.site.count(func(t docText) bool { return t.Title == "" })
	if empty == 0 {
		d.Error("no title is empty; the data is not what it was")
	}
	d.push("titles must not be empty", map[string]string{"summary": `,"default":"-"`, "body": fmt.Sprintf(`,"maxLength":%d`, longest+1), "title": `,"minLength":1`},
		outcome{class: conditional, kind: diff.ConstraintTightened, version: 9, misfits: empty, code: "min_length", path: "fields.title."})
}

// changeLocalized starts from version 9.
func (d *docBed) changeLocalized() {
	d.Helper()
	plain := strings.Replace(docs(nil), `"title":{"type":"text","localized":true}`, `"title":{"type":"text"}`, 1)
	_, err := schemadeploy.Push(d.Context(), d.Pool, d.Actor, d.ID, entrytest.Proposal(plain, entrytest.Posts, entrytest.Authors))
	d.Refused(err, fault.SchemaChangeDestructive)
}
