package entry_test

import (
	"testing"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/fault"
)

const presets = `{"name": "presets", "fields": {
	"title": {"type": "text", "localized": true, "default": "Untitled"}, "kind": {"type": "text", "required": true, "default": "plain", "enum": ["plain", "rich"]},
	"n": {"type": "number", "default": 1.50}, "ok": {"type": "boolean", "default": false}, "day": {"type": "date", "default": "2024-02-29"},
	"at": {"type": "datetime", "default": "2024-01-01T00:00:00+02:00"}, "body": {"type": "markdown", "default": "*"}, "data": {"type": "json", "default": {"b": [1.0], "a": {}}},
	"seo": {"type": "object", "fields": {"robots": {"type": "text", "default": "index"}, "image": {"type": "text"}}},
	"rows": {"type": "list", "of": {"type": "object", "fields": {"n": {"type": "number", "default": 1}}}},
	"sections": {"type": "blocks", "allowed": [{"key": "b", "fields": {"t": {"type": "text", "default": "x"}}}]}}}`

// The defaults of a schema are given when an entry is made, one by one or by an import, and never by an edit; those of
// required fields count as there, so an edit stores them.
func TestDefaultsOfEveryTypeAtEveryDepth(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	locales := []string{"en", "de"}
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &locales, DefaultLocale: &locales[0]})
	b.OK(err)
	b.Push(entrytest.Posts, entrytest.Authors, presets)
	const scalars = `"kind":"plain","n":1.5,"ok":false,"day":"2024-02-29","at":"2024-01-01T00:00:00+02:00","body":"*","data":{"b":[1.0],"a":{}}`
	for _, tt := range []struct{ name, data, want string }{
		{"nothing said", `{}`, `{"title":{"en":"Untitled"},` + scalars + `}`},
		{"nested where what holds it is there", `{"seo": {}, "rows": [{}, {"n": 2}], "sections": [{"type": "b"}]}`,
			`{"title":{"en":"Untitled"},` + scalars + `,"seo":{"robots":"index"},"rows":[{"n":1},{"n":2}],"sections":[{"type":"b","fields":{"t":"x"}}]}`},
		{"null declines one, unless it is required", `{"title": null, "kind": null, "n": null, "ok": null, "day": null, "at": null, "body": null, "data": null, "seo": {"robots": null}}`,
			`{"kind":"plain","seo":{}}`},
		{"another locale is a value", `{"title": {"de": "Titel"}, "n": null, "ok": null, "day": null, "at": null, "body": null, "data": null}`, `{"title":{"de":"Titel"},"kind":"plain"}`},
		{"a value is kept", `{"title": {"en": ""}, "kind": "rich", "n": 0, "ok": true, "day": null, "at": null, "body": "", "data": []}`,
			`{"title":{"en":""},"kind":"rich","n":0,"ok":true,"body":"","data":[]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &bed{&entrytest.Bed{TB: t, Pool: b.Pool, Actor: b.Actor, ID: b.ID}}
			if w := b.Create(nil, "presets", tt.data); string(w.Revision.Fields) != tt.want {
				t.Errorf("created as %s, want %s", w.Revision.Fields, tt.want)
			}
			made := b.imported("presets", entry.ImportOptions{}, row(tt.data))
			if e := b.Get(made.Rows[0].Entry); string(e.Draft.Fields) != tt.want {
				t.Errorf("imported as %s, want %s", e.Draft.Fields, tt.want)
			}
		})
	}
	w := b.Create(nil, "presets", `{"n": null, "kind": "rich"}`)
	if w = b.Patch(nil, w.Entry.ID, `{"title": null, "ok": null, "day": null, "at": null, "body": null, "data": null, "kind": null}`); string(w.Revision.Fields) != `{"kind":"plain"}` {
		t.Errorf("an edit leaves %s", w.Revision.Fields)
	}
	_, err = entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "presets", entrytest.Write(nil, `{"kind": "odd"}`))
	if got := entrytest.Codes(b.Refused(err, fault.ValidationFailed)); got != " fields.kind enum; " {
		t.Errorf("found %s", got)
	}
}

// Without locales of the project, localized fields hold plain values and their defaults do too.
func TestDefaultsWithoutLocales(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "presets", "fields": {"title": {"type": "text", "localized": true, "default": "Untitled"}}}`)
	if w := b.Create(nil, "presets", `{}`); string(w.Revision.Fields) != `{"title":"Untitled"}` {
		t.Errorf("created as %s", w.Revision.Fields)
	}
	_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "presets", entrytest.Write(nil, `{"title": {"en": "x"}}`))
	if got := entrytest.Codes(b.Refused(err, fault.ValidationFailed)); got != " fields.title type; " {
		t.Errorf("found %s", got)
	}
}
