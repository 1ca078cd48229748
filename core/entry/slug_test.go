package entry_test

import (
	"testing"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/shared/fault"
)

// A slug that is required and missing says why none was derived.
func TestARequiredSlugSaysWhyNoneIsDerived(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const notes = `{"name": "notes", "titleField": "title", "fields": {"title": {"type": "text"}, "slug": {"type": "slug", "required": true}}}`
	b.Push(entrytest.Posts, entrytest.Authors, notes)
	for data, want := range map[string]string{
		`{"title": "!!!"}`: `is required, and none can be derived from title, which is "!!!": give one`,
		`{}`:               `is required: give one, or a title to derive it from`,
	} {
		_, err := entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "notes", entrytest.Write(nil, data))
		_, imported := b.tryImport("notes", entry.ImportOptions{}, row(data))
		for _, err := range []error{err, imported} {
			if f := b.Refused(err, fault.ValidationFailed); len(f.Items) != 1 || f.Items[0].Message != want || f.Items[0].Code != "required" {
				t.Errorf("%s: %+v", data, f.Items)
			}
		}
	}
}
