package entry_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/fault"
)

// In a project with locales a plain value says nothing about the others, so no write may give one; a map replaces the
// whole field. What was stored plainly before is kept for the default locale by writes of other fields.
func TestLocalizedFieldsTakeMaps(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, `{"name": "notes", "titleField": "title", "fields": {"title": {"type": "text", "localized": true}, "slug": {"type": "slug"}, "n": {"type": "number"}}}`)
	before := b.Published("notes", `{"title": "Before"}`)
	locales := []string{"en", "de"}
	_, err := schemadeploy.Configure(t.Context(), b.Pool, b.Actor, b.ID, project.Settings{Locales: &locales, DefaultLocale: &locales[0]})
	b.OK(err)

	if w := b.Patch(nil, before.ID, `{"n": 1}`); string(w.Revision.Fields) != `{"title":{"en":"Before"},"slug":"before","n":1}` {
		t.Errorf("an edit of another field leaves %s", w.Revision.Fields)
	}
	e := b.Published("notes", `{"title": {"en": "Both", "de": "Beide"}}`)
	const plain = `{"title": "Plain"}`
	_, created := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "notes", entrytest.Write(nil, plain))
	_, patched := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), entrytest.Write(nil, plain))
	_, imported := b.tryImport("notes", entry.ImportOptions{}, row(plain))
	_, again := b.tryImport("notes", entry.ImportOptions{}, entry.ImportRow{ID: before.ID, Data: jsontext.Value(`{"title": "Before"}`)})
	for what, err := range map[string]error{"create": created, "patch": patched, "import": imported, "an import of what is there": again} {
		f := b.Refused(err, fault.ValidationFailed)
		if len(f.Items) != 1 || !strings.HasSuffix(f.Items[0].Path, "fields.title") || !strings.Contains(f.Items[0].Message, "the locales of the project are en, de") {
			t.Errorf("%s: %+v", what, f.Items)
		}
	}
	if w := b.Patch(nil, e.ID, `{"title": {"de": "Nur noch dies"}}`); string(w.Revision.Fields) != `{"title":{"de":"Nur noch dies"},"slug":"both"}` {
		t.Errorf("a map leaves %s", w.Revision.Fields)
	}
}
