package schemadeploy_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/testrand"
	"svc/shared/validate"
	"svc/shared/value"
)

const everyKind = `{"name":"notes","fields":{
	"text":{"type":"text","localized":true}, "free":{"type":"json","localized":true}, "prose":{"type":"richText","localized":true},
	"object":{"type":"object","localized":true,"fields":{"en":{"type":"text"},"x":{"type":"text"}}},
	"list":{"type":"list","localized":true,"of":{"type":"text"}}, "needed":{"type":"text","localized":true,"required":true}, "plain":{"type":"json"}}}`

var samples = map[string][]string{
	"text": {`"x"`, `{"en":"x"}`, `{"en":"x","de":"y"}`, `{"de":"y"}`}, "needed": {`"x"`, `{"en":"x"}`, `{"en":"x","de":"y"}`, `{"de":"y","zz":"z"}`},
	"free":   {`1`, `[{"en":1}]`, `{"en":1}`, `{"en":1,"q":2}`, `{"q":1}`, `{"de":1,"zz":2}`, `{"en":{"de":1}}`, `{}`},
	"prose":  {`{"type":"doc","content":[]}`, `{"en":{"type":"doc","content":[]}}`, `{"de":{"type":"doc","content":[]}}`},
	"object": {`{"x":"a"}`, `{"en":"a"}`, `{"en":"a","x":"b"}`, `{"en":{"x":"a"}}`, `{"de":{"en":"a"}}`, `{}`},
	"list":   {`["x"]`, `{"en":["x"]}`, `{"zz":["x"],"de":[]}`}, "plain": {`{"en":1}`, `2`},
}

// Whatever locales are tried one after the other, they are taken exactly where every head fits them and means what it
// meant, and refused ones change nothing.
func TestLocalesAreTakenExactlyWhereContentKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	bed := entrytest.New(t)
	first, err := project.Get(t.Context(), bed.Pool, string(bed.ID))
	bed.OK(err)
	projects, taken, refused := 0, 0, 0
	testrand.CheckFew(t, 30, func(t *rapid.T) {
		projects++
		p, err := project.Create(bed.Context(), bed.Pool, bed.Actor, first.Organization, project.NewProject{Slug: fmt.Sprintf("p%d", projects)})
		bed.OK(err)
		b := *bed
		b.ID = p.ID
		b.OK(configure(&b, drawLocales(t)))
		mustDeploy(&b, everyKind)
		for range 5 {
			scribble(t, &b)
			before, err := project.Get(b.Context(), b.Pool, string(b.ID))
			b.OK(err)
			next := drawLocales(t)
			err = configure(&b, next)
			want := value.Locales{Codes: *next.Locales, Default: *next.DefaultLocale}
			fit := keepsMeaning(&b, schemadeploy.Locales(before), want)
			after, getErr := project.Get(b.Context(), b.Pool, string(b.ID))
			b.OK(getErr)
			switch {
			case err == nil && fit && slices.Equal(after.Locales, want.Codes):
				taken++
			case fault.Is(err, fault.Conflict) && !fit && slices.Equal(after.Locales, before.Locales):
				refused++
			default:
				t.Fatalf("from %v to %v with %v: %v", schemadeploy.Locales(before), want, heads(&b), err)
			}
		}
	})
	if t.Logf("%d taken, %d refused", taken, refused); taken == 0 || refused == 0 {
		t.Error("nothing was put to the test")
	}
}

func drawLocales(t *rapid.T) project.Settings {
	codes := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"en", "de", "zz", "type"}), 0, 3, rapid.ID).Draw(t, "locales")
	def := ""
	if len(codes) > 0 {
		def = rapid.SampledFrom(codes).Draw(t, "default")
	}
	codes = append([]string{}, codes...)
	return project.Settings{Locales: &codes, DefaultLocale: &def}
}

func configure(b *entrytest.Bed, in project.Settings) error {
	_, err := schemadeploy.Configure(b.Context(), b.Pool, b.Actor, b.ID, in)
	return err
}

// scribble writes an entry or none, as far as it fits, and maybe publishes it.
func scribble(t *rapid.T, b *entrytest.Bed) {
	data := `{`
	for _, key := range slices.Sorted(maps.Keys(samples)) {
		if key == "needed" || rapid.IntRange(0, 3).Draw(t, "with "+key) == 0 {
			if len(data) > 1 {
				data += `,`
			}
			data += `"` + key + `":` + rapid.SampledFrom(samples[key]).Draw(t, key)
		}
	}
	w, err := entry.Create(b.Context(), b.Pool, b.Actor, b.ID, "notes", entrytest.Write(nil, data+`}`))
	if err == nil && rapid.Bool().Draw(t, "publish") {
		b.Publish(w.ChangeSet)
	}
}

// heads are the revisions that count.
func heads(b *entrytest.Bed) (all []string) {
	b.Helper()
	rows, err := b.Pool.Query(context.WithoutCancel(b.Context()), `SELECT r.fields FROM entry e
		JOIN revision r ON r.id IN (e.published_revision_id, e.draft_revision_id) WHERE e.project_id = $1`, b.ID)
	b.OK(err)
	all, err = pgx.CollectRows(rows, pgx.RowTo[string])
	b.OK(err)
	return all
}

// keepsMeaning looks at every head by itself, at what is there for each locale and not at how it is told.
func keepsMeaning(b *entrytest.Bed, before, after value.Locales) bool {
	c, err := schema.Parse([]byte(everyKind))
	b.OK(err)
	for _, fields := range heads(b) {
		items, err := validate.Stored(c, after, jsontext.Value(fields))
		b.OK(err)
		if len(items) > 0 {
			return false
		}
		members, err := value.Members(jsontext.Value(fields))
		b.OK(err)
		for _, m := range members {
			was, is := meaning(b, c.Field(m.Name), before, m.Value), meaning(b, c.Field(m.Name), after, m.Value)
			if before.None() && !after.None() && c.Field(m.Name).Localized {
				was = map[string]string{after.Default: was[""]} // what was plain is the default locale's
			}
			if !before.None() && after.None() && c.Field(m.Name).Localized {
				is = map[string]string{before.Default: is[""]}
			}
			if m.Name == "object" && string(m.Value) == "{}" { // says nothing
				continue
			}
			if !maps.Equal(was, is) {
				return false
			}
		}
	}
	return true
}

// meaning is what a field says in each locale; without locales, and where it is not localized, under no name.
func meaning(b *entrytest.Bed, f *schema.Field, locales value.Locales, raw jsontext.Value) map[string]string {
	values, err := locales.Values(f, raw)
	b.OK(err)
	said := map[string]string{}
	for _, v := range values {
		name := v.Name
		if name == "" && f.Localized {
			name = locales.Default
		}
		said[name] = string(v.Value)
	}
	return said
}
