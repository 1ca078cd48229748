package schemadeploy_test

import (
	"slices"
	"strings"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/fault"
)

// localesOf reads "en de", the first being the default, or "en de/de".
func localesOf(text string) project.Settings {
	list, def, _ := strings.Cut(text, "/")
	codes := strings.Fields(list)
	if def == "" && len(codes) > 0 {
		def = codes[0]
	}
	return project.Settings{Locales: &codes, DefaultLocale: &def}
}

func relocate(b *entrytest.Bed, text string) error {
	_, err := schemadeploy.Configure(b.Context(), b.Pool, b.Actor, b.ID, localesOf(text))
	return err
}

// Content fits the locales of its project and means what it meant, through every change of them.
func TestLocalesChangeUnderWhatIsThere(t *testing.T) {
	t.Parallel()
	bed := entrytest.New(t)
	const (
		text     = `{"type":"text","localized":true}`
		required = `{"type":"text","localized":true,"required":true}`
		free     = `{"type":"json","localized":true}`
		object   = `{"type":"object","localized":true,"fields":{"en":{"type":"text"},"x":{"type":"text"}}}`
		prose    = `{"type":"richText","localized":true}`
		list     = `{"type":"list","localized":true,"of":{"type":"text"}}`
		tree     = `{"type":"doc","content":[]}`
		none     = ""
	)
	for _, test := range []struct {
		name         string
		field, value string
		way          []string // of the locales; the value is written under the first
		refused      bool     // the last one
	}{
		{"another default, optional", text, `{"en":"x"}`, []string{"en de", "de en"}, false},
		{"another default, required", required, `{"en":"x"}`, []string{"en de", "de en"}, true},
		{"another default, required and there", required, `{"en":"x","de":"y"}`, []string{"en de", "de en"}, false},
		{"another default, plain", text, `"x"`, []string{none, "en de", "de en"}, true},
		{"a new default, plain", text, `"x"`, []string{none, "en", "de en"}, true},
		{"another order", required, `{"en":"x"}`, []string{"en de", "de en/en"}, false},
		{"another order, plain", text, `"x"`, []string{none, "en de", "de en/en"}, false},
		{"a locale more", required, `{"en":"x"}`, []string{"en", "en de"}, false},
		{"a locale less", text, `{"en":"x"}`, []string{"en de", "en"}, false},
		{"a locale less that is used", text, `{"en":"x","de":"y"}`, []string{"en de", "en"}, true},
		{"a locale less that json uses alone", free, `{"de":1}`, []string{"en de", "en"}, true},
		{"a renamed locale", text, `{"en":"x"}`, []string{"en", "en-GB"}, true},
		{"a renamed locale, plain", text, `"x"`, []string{none, "en", "en-GB"}, true},
		{"a locale in other letters", text, `{"en":"x"}`, []string{"en", "EN"}, true},
		{"an unset field, renamed", text, `null`, []string{"en", "de"}, false},
		{"none to some, text", required, `"x"`, []string{none, "en de"}, false},
		{"none to some, a list", list, `["x"]`, []string{none, "en"}, false},
		{"none to some, an array of json", free, `[{"en":1}]`, []string{none, "en"}, false},
		{"none to some, an object of json", free, `{"z":1}`, []string{none, "en"}, false},
		{"none to some, json like a map", free, `{"en":1,"z":2}`, []string{none, "en"}, true},
		{"none to some, json that is all map", free, `{"en":1}`, []string{none, "en"}, true},
		{"none to some, empty json", free, `{}`, []string{none, "en"}, true},
		{"some to more, json like a map", free, `{"de":1,"z":2}`, []string{none, "en", "en de"}, true},
		{"none to some, an object", object, `{"x":"a"}`, []string{none, "en"}, false},
		{"none to some, an object like a map", object, `{"en":"a","x":"b"}`, []string{none, "en"}, true},
		{"none to some, an empty object", object, `{}`, []string{none, "en"}, false},
		{"none to some, prose", prose, tree, []string{none, "en"}, false},
		{"none to some, prose like a map", prose, tree, []string{none, "en type"}, true},
		{"some to none, text", text, `{"en":"x"}`, []string{"en", none}, true},
		{"some to none, plain", text, `"x"`, []string{none, "en", none}, false},
		{"some to none, json", free, `{"en":1}`, []string{"en", none}, true},
		{"some to none, plain json", free, `{"z":1}`, []string{none, "en", none}, false},
		{"some to none, an object", object, `{"en":{"x":"a"}}`, []string{"en", none}, true},
		{"some to none, prose", prose, `{"en":` + tree + `}`, []string{"en", none}, true},
		{"not localized", `{"type":"json"}`, `{"en":1}`, []string{none, "en"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := bed.Fresh(t)
			b.OK(relocate(b, test.way[0]))
			mustDeploy(b, `{"name":"notes","fields":{"f":`+test.field+`}}`)
			e := b.Published("notes", `{"f":`+test.value+`}`)
			for _, step := range test.way[1 : len(test.way)-1] {
				b.OK(relocate(b, step))
			}
			err := relocate(b, test.way[len(test.way)-1])
			if !test.refused {
				b.OK(err)
				b.Publish(b.Patch(nil, e.ID, `{}`).ChangeSet)
				return
			}
			f := b.Refused(err, fault.Conflict)
			if !slices.Equal(f.EntryIDs, []string{string(e.ID)}) || len(f.Items) == 0 || !strings.HasPrefix(f.Items[0].Path, "fields.f") || f.Items[0].ResourceID != string(e.ID) {
				t.Errorf("%+v names %v", f.Items, f.EntryIDs)
			}
		})
		// Nothing keeps locales from changing while the collection is away, but it from coming back: until they are what they were.
		t.Run(test.name+", while it is removed", func(t *testing.T) {
			b := bed.Fresh(t)
			b.OK(relocate(b, test.way[0]))
			notes := `{"name":"notes","fields":{"f":` + test.field + `}}`
			mustDeploy(b, notes)
			e := b.Published("notes", `{"f":`+test.value+`}`)
			last := len(test.way) - 1
			for _, step := range test.way[1:last] {
				b.OK(relocate(b, step))
			}
			mustDeploy(b)
			b.OK(relocate(b, test.way[last]))
			if test.refused {
				_, err := deploy(b, notes)
				f := b.Refused(err, fault.ValidationFailed)
				if len(f.Items) == 0 || !strings.HasPrefix(f.Items[0].Path, "fields.f") || f.Items[0].ResourceID != string(e.ID) {
					t.Errorf("%+v", f.Items)
				}
				b.OK(relocate(b, test.way[last-1]))
			}
			mustDeploy(b, notes)
			b.Publish(b.Patch(nil, e.ID, `{}`).ChangeSet)
		})
	}
}

// What keeps a collection from coming back says under which locales it can be mended.
func TestWhatComesBackUnderOtherLocalesIsTold(t *testing.T) {
	t.Parallel()
	const json = `{"name":"notes","fields":{"f":{"type":"json","localized":true}}}`
	for _, test := range []struct{ schema, value, before, after, want string }{
		{json, `{"en":1}`, "en de", "", `removed at version 1, when the project had the locales en, de with the default en: push that again`},
		{json, `{"en":1}`, "", "en", `removed at version 1, when the project had no locales: push that again`},
	} {
		b := entrytest.New(t)
		b.OK(relocate(b, test.before))
		mustDeploy(b, test.schema)
		b.Published("notes", `{"f":`+test.value+`}`)
		mustDeploy(b)
		b.OK(relocate(b, test.after))
		_, err := deploy(b, test.schema)
		if f := b.Refused(err, fault.ValidationFailed); len(f.Items) != 1 || !strings.Contains(f.Items[0].Message, test.want) {
			t.Errorf("from %q to %q: %+v", test.before, test.after, f.Items)
		}
	}
}

// Every head counts, as for a push, and those in the way are named.
func TestEveryHeadMustFitNewLocales(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	b.OK(relocate(b, "en de"))
	mustDeploy(b, `{"name":"notes","fields":{"text":{"type":"text","localized":true,"required":true}}}`)
	both, english := `{"text":{"en":"x","de":"y"}}`, `{"text":{"en":"x"}}`
	published, drafted, closed, gone := b.Published("notes", english), b.Published("notes", both), b.Published("notes", both), b.Published("notes", english)
	open, abandoned, away := b.Set("open"), b.Set("closed"), b.Set("away")
	b.Patch(open, drafted.ID, english)
	b.Patch(abandoned, closed.ID, english)
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(abandoned.ID))
	b.OK(err)
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(gone.ID), string(away.ID))
	b.OK(err)
	b.Publish(away)

	f := b.Refused(relocate(b, "de en"), fault.Conflict)
	want := []string{string(published.ID), string(drafted.ID)}
	if slices.Sort(want); !slices.Equal(f.EntryIDs, want) || !strings.Contains(f.Detail, "in 2 places, the first: ") {
		t.Fatalf("%s: %v, want %v", f.Detail, f.EntryIDs, want)
	}
	b.Publish(b.Patch(nil, published.ID, both).ChangeSet)
	b.Patch(open, drafted.ID, both)
	b.OK(relocate(b, "de en"))
}
