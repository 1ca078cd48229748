package schemadeploy_test

import (
	"testing"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/schema"
)

// What was found to fit is not read again while the schemas and the locales are the same; what is new is, and so is what
// does not fit.
func TestOnlyWhatIsNewIsReadAgain(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	b.OK(setLocales(b, "en"))
	mustDeploy(b, longNotes)
	const many = 1200
	imported, err := entry.Import(t.Context(), b.Pool, b.Actor, b.ID, "notes", entry.ImportOptions{}, importOf(many))
	b.OK(err)
	limited, err := schema.Parse([]byte(`{"name":"notes","fields":{"text":{"type":"text","maxLength":20}}}`))
	b.OK(err)
	scales := schemadeploy.NewScales(limited)
	weigh := func(when string, read, misfits int) {
		t.Helper()
		out, got, err := scales.Weigh(t.Context(), b.Pool, b.ID)
		b.OK(err)
		if got != read || out.ContentErrorCount != misfits {
			t.Errorf("%s: %d revisions read with %d misfits, want %d with %d", when, got, out.ContentErrorCount, read, misfits)
		}
	}
	weigh("first", many, 0)
	weigh("again", 0, 0)
	for i, text := range []string{`{"text":"short"}`, `{"text":"more than twenty characters"}`} {
		_, err := entry.Patch(t.Context(), b.Pool, b.Actor, b.ID, string(imported.Rows[i].Entry), entrytest.Write(nil, text))
		b.OK(err)
	}
	weigh("after two edits", 2, 1)
	weigh("while one does not fit", 1, 1)
	b.OK(setLocales(b, "en", "de"))
	weigh("under other locales", many, 1)
	_, err = deploy(b, `{"name":"notes","fields":{"text":{"type":"text"},"more":{"type":"text"}}}`)
	b.OK(err)
	weigh("from other schemas", many, 1)
	b.Patch(nil, imported.Rows[1].Entry, `{"text":"short"}`)
	weigh("once it is mended", 1, 0)
}

// A singleton is counted again, however well its entries fit.
func TestWhatFitsIsCountedAgain(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes)
	b.Create(nil, "notes", `{}`)
	single, err := schema.Parse([]byte(`{"name":"notes","kind":"singleton","fields":{"text":{"type":"text"}}}`))
	b.OK(err)
	scales := schemadeploy.NewScales(single)
	for n := range 3 {
		out, _, err := scales.Weigh(t.Context(), b.Pool, b.ID)
		b.OK(err)
		if out.ContentErrorCount != n {
			t.Fatalf("%d errors with %d entries: %+v", out.ContentErrorCount, n+1, out.ContentErrors)
		}
		b.Create(nil, "notes", `{}`)
	}
}
