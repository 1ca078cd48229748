package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/asset/assettest"
	"svc/deploy/local/localtest"
	"svc/shared/content"
)

// everything has a field of every type; one of each is set in full.
const (
	everything = `{"name":"everything","label":"Everything","visibility":"public","titleField":"title","path":"/all/{slug}","fields":{
		"title":{"type":"text","required":true,"localized":true},
		"slug":{"type":"slug","from":"plainText"},
		"plainText":{"type":"text","required":true,"enum":["one","two"]},
		"number":{"type":"number"},"withDefault":{"type":"number","required":true,"default":3},"boolean":{"type":"boolean","localized":true},
		"date":{"type":"date"},"datetime":{"type":"datetime"},"markdown":{"type":"markdown","localized":true},"json":{"type":"json"},
		"asset":{"type":"asset"},"assets":{"type":"asset","multiple":true},
		"reference":{"type":"reference","to":"people","localized":true},"references":{"type":"reference","to":"people","multiple":true},
		"list":{"type":"list","of":{"type":"text"}},"jsons":{"type":"list","of":{"type":"json"}},
		"rows":{"type":"list","of":{"type":"object","fields":{"cell":{"type":"text","required":true},"size":{"type":"number","default":1}}}},
		"object":{"type":"object","localized":true,"fields":{"a":{"type":"text","required":true},"b":{"type":"object","fields":{"c":{"type":"date"}}}}},
		"richText":{"type":"richText","localized":true},
		"blocks":{"type":"blocks","allowed":[
			{"key":"quote","fields":{"text":{"type":"markdown","required":true},"by":{"type":"reference","to":"people"}}},
			{"key":"rule","fields":{}}]}}}`
	people = `{"name":"people","visibility":"public","fields":{"name":{"type":"text","required":true}}}`
	front  = `{"name":"front","kind":"singleton","visibility":"public","fields":{"headline":{"type":"text","localized":true,"default":"Hello"}}}`
)

// What nodes answer is of the types that "svc types" writes for what "svc schema pull" wrote.
func TestAnswersAreOfTheTypes(t *testing.T) {
	t.Parallel()
	for _, locales := range []struct {
		name     string
		settings map[string]any
		in       func(string) string // a value of a localized field
	}{
		{"in two locales", map[string]any{"locales": []string{"en", "de"}, "defaultLocale": "en"}, func(v string) string { return `{"en":` + v + `,"de":` + v + `}` }},
		{"without locales", nil, func(v string) string { return v }},
	} {
		t.Run(locales.name, func(t *testing.T) {
			b := newBed(t, everything, people, front)
			if locales.settings != nil {
				_, err := b.api.UpdateProject(t.Context(), b.project.Slug, locales.settings)
				b.check(err)
			}
			dir := t.TempDir()
			b.svc("schema", "pull", "--dir", filepath.Join(dir, "schema"))
			if said := b.svc("schema", "diff", "--dir", filepath.Join(dir, "schema")); !strings.Contains(said, "In sync") {
				t.Errorf("what is pulled is not what is deployed: %s", said)
			}
			b.svc("types", "--dir", filepath.Join(dir, "schema"), "--out", filepath.Join(dir, "content.ts"))

			values := b.typedAnswers(locales.in, locales.settings != nil)
			b.check(os.WriteFile(filepath.Join(dir, "values.ts"), []byte(values), 0o644))
			out, err := exec.Command("tsc", "--strict", "--noEmit", "--target", "es2020", filepath.Join(dir, "values.ts")).CombinedOutput()
			if err != nil {
				t.Fatalf("tsc, which deploy/local/install.sh installs: %v\n%s\n%s", err, out, values)
			}
		})
	}
}

// typedAnswers publishes entries, and writes what nodes answer as constants of the types that they should have.
func (b *bed) typedAnswers(in func(string) string, locales bool) string {
	b.t.Helper()
	set := b.set("Everything")
	person := b.create(set, "people", map[string]string{"name": "Ada"})
	database := b.database()
	defer database.Close()
	asset := assettest.Insert(b.t, database, content.ProjectID(b.project.ID), "image/png")
	full := fmt.Sprintf(`{"title":%s,"plainText":"two","number":12.5,"boolean":%s,"date":"2026-02-28","datetime":"2026-02-28T09:30:00+01:00",
		"markdown":%s,"json":{"any":[null,1,{"thing":true}]},"asset":%q,"assets":[%q],"reference":%s,"references":[%q],"list":["a","b"],
		"jsons":[null,{"a":1}],"rows":[{"cell":"x"},{"cell":"y","size":2}],"object":%s,"richText":%s,
		"blocks":[{"type":"quote","fields":{"text":"x","by":%q}},{"type":"rule","fields":{}}]}`,
		in(`"Full"`), in("true"), in(`"*x*"`), asset, asset, in(`"`+person+`"`), person, in(`{"a":"x","b":{"c":"2026-02-28"}}`),
		in(`{"type":"doc","content":[{"type":"heading","attrs":{"level":2},"content":[{"type":"text","text":"x","marks":[{"type":"bold"}]}]}]}`), person)
	ids := []string{b.create(set, "everything", jsontext.Value(full)), b.create(set, "everything", jsontext.Value(`{"title":`+in(`"Least"`)+`,"plainText":"one"}`))}
	b.create(set, "front", jsontext.Value(`{}`))
	release := b.publish(set)
	for _, collection := range []string{"everything", "people", "front"} {
		b.await(release, collection, b.nodes()...)
	}
	b.patch(b.set("Draft"), ids[1], jsontext.Value(`{"number":1e30,"rows":[{"cell":"z"}],"boolean":`+in("false")+`}`))

	var text strings.Builder
	text.WriteString("import type * as t from \"./content\";\n")
	n := 0
	is := func(kind, value string) {
		n++
		fmt.Fprintf(&text, "export const x%d: t.%s = %s;\n", n, kind, value)
	}
	read := func(kind, path string) {
		answer := b.same(b.nodes(), path)
		if answer.Status != 200 {
			b.t.Fatalf("%s answers %d", path, answer.Status)
		}
		is(kind, string(answer.Body))
	}
	front := "/v1/projects/" + b.project.Slug + "/collections/front/singleton"
	read("ListResponse<t.EverythingEntry>", b.list("everything"))
	read("SingleResponse<t.EverythingEntry>", b.single("everything", ids[0]))
	read("ListResponse<t.PeopleEntry>", b.list("people"))
	read("SingleResponse<t.FrontEntry>", front)
	if locales {
		for _, code := range []string{"en", "de"} {
			read("ListResponse<t.EverythingResolvedEntry>", b.list("everything")+"?locale="+code)
			read("SingleResponse<t.EverythingResolvedEntry>", b.single("everything", ids[1])+"?locale="+code)
			read("SingleResponse<t.FrontResolvedEntry>", front+"?locale="+code)
		}
	}
	for _, id := range ids {
		entry, err := b.api.Entry(b.t.Context(), b.project.Slug, id)
		b.check(err)
		is("EverythingDraft", string(entry.Draft.Fields))
		is("EverythingFields", string(entry.Published.Fields))
	}
	is("CreateBody<t.EverythingDraft>", `{"data":`+full+`}`)
	is(`Collections["everything"]["draft"]`, full)
	return text.String()
}

// svc runs the command line in the bed's project, and returns what it prints.
func (b *bed) svc(args ...string) string {
	b.t.Helper()
	programs, err := localtest.Programs()
	b.check(err)
	cmd := exec.CommandContext(b.t.Context(), filepath.Join(programs, "svc"), args...)
	cmd.Env = append(os.Environ(), "SVC_API_URL="+b.stack.URL("core"), "SVC_TOKEN="+b.account.Token, "SVC_PROJECT="+b.project.Slug)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("svc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
