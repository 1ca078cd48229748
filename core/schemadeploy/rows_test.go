package schemadeploy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/asset/assettest"
	"svc/core/entry"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/fault"
	"svc/shared/schema/diff"
)

// deployed is one row of the lists of changes, deployed over an entry and back over another one. The collection c has
// the field f, or not where its definition is empty, and the field g.
type deployed struct {
	name        string
	old, new    string // field f
	there, back way
}

// way is one direction: how the change is classified, an entry that fits and one that does not, both valid before it.
// Without a misfit no content keeps the change out.
type way struct {
	class        diff.Class
	fits, misfit string
	code         string // of what is wrong with the misfit
}

const (
	safe        = diff.Safe
	conditional = diff.ConditionallyDestructive
	destructive = diff.Destructive
)

func held(class diff.Class, fits, misfit, code string) way { return way{class, fits, misfit, code} }

func free(class diff.Class, fits string) way { return way{class: class, fits: fits} }

var deployments = []deployed{
	{"an optional field", ``, `{"type":"text"}`, free(safe, `{}`), free(destructive, `{"f":"x"}`)},
	{"a required field with a default", ``, `{"type":"text","required":true,"default":"x"}`, free(safe, `{}`), free(destructive, `{"f":"y"}`)},
	{"a required field without a default", ``, `{"type":"text","required":true}`, way{class: conditional, misfit: `{}`, code: "required"}, free(destructive, `{"f":"y"}`)},
	{"a field of another type", `{"type":"text"}`, `{"type":"number"}`, held(destructive, `{}`, `{"f":"x"}`, "type"), held(destructive, `{}`, `{"f":1}`, "type")},
	{"a field of a type that holds the same", `{"type":"text"}`, `{"type":"markdown"}`, free(destructive, `{"f":"x"}`), free(destructive, `{"f":"x"}`)},
	{"a text that becomes the slug", `{"type":"text"}`, `{"type":"slug","from":"g"}`, held(destructive, `{}`, `{"f":"x"}`, "slug"), free(destructive, `{"f":"x"}`)},
	{"a field made required", `{"type":"text"}`, `{"type":"text","required":true}`, held(conditional, `{"f":"x"}`, `{}`, "required"), free(safe, `{"f":"x"}`)},
	{"a slug made required", `{"type":"slug"}`, `{"type":"slug","required":true}`, held(safe, `{"f":"x"}`, `{}`, "required"), free(safe, `{"f":"x"}`)},
	{"label", `{"type":"text"}`, `{"type":"text","label":"F"}`, free(safe, `{"f":"x"}`), free(safe, `{"f":"x"}`)},
	{"description", `{"type":"text"}`, `{"type":"text","description":"F"}`, free(safe, `{"f":"x"}`), free(safe, `{"f":"x"}`)},
	{"ui", `{"type":"text"}`, `{"type":"text","ui":{"hidden":true}}`, free(safe, `{"f":"x"}`), free(safe, `{"f":"x"}`)},
	{"default", `{"type":"text"}`, `{"type":"text","default":"x"}`, free(safe, `{}`), free(safe, `{}`)},
	{"default of a required field", `{"type":"text","required":true}`, `{"type":"text","required":true,"default":"x"}`, free(safe, `{"f":"y"}`), free(safe, `{}`)},
	{"maxLength", `{"type":"text","maxLength":2}`, `{"type":"text","maxLength":3}`, free(safe, `{"f":"ab"}`), held(conditional, `{"f":"ab"}`, `{"f":"abc"}`, "max_length")},
	{"maxLength or none", `{"type":"text","maxLength":2}`, `{"type":"text"}`, free(safe, `{"f":"ab"}`), held(conditional, `{"f":"ab"}`, `{"f":"abc"}`, "max_length")},
	{"minLength", `{"type":"markdown","minLength":2}`, `{"type":"markdown","minLength":1}`, free(safe, `{"f":"ab"}`), held(conditional, `{"f":"ab"}`, `{"f":"a"}`, "min_length")},
	{"minLength or none", `{"type":"markdown","minLength":2}`, `{"type":"markdown"}`, free(safe, `{"f":"ab"}`), held(conditional, `{"f":"ab"}`, `{"f":"a"}`, "min_length")},
	{"max", `{"type":"number","max":9}`, `{"type":"number","max":9.5}`, free(safe, `{"f":9}`), held(conditional, `{"f":9}`, `{"f":9.25}`, "max")},
	{"max or none", `{"type":"number","max":9}`, `{"type":"number"}`, free(safe, `{"f":9}`), held(conditional, `{"f":9.0}`, `{"f":10}`, "max")},
	{"min", `{"type":"number","min":0}`, `{"type":"number","min":-1}`, free(safe, `{"f":0}`), held(conditional, `{"f":0}`, `{"f":-0.5}`, "min")},
	{"min or none", `{"type":"number","min":0}`, `{"type":"number"}`, free(safe, `{"f":0}`), held(conditional, `{"f":0}`, `{"f":-1}`, "min")},
	{"max of a date", `{"type":"date","max":"2020-01-09"}`, `{"type":"date","max":"2020-01-10"}`, free(safe, `{"f":"2020-01-09"}`), held(conditional, `{"f":"2020-01-09"}`, `{"f":"2020-01-10"}`, "max")},
	{"min of a datetime", `{"type":"datetime","min":"2020-01-01T00:00:00Z"}`, `{"type":"datetime"}`, free(safe, `{"f":"2020-01-01T00:00:00Z"}`), held(conditional, `{"f":"2020-01-01T01:00:00+01:00"}`, `{"f":"2020-01-01T00:00:00+01:00"}`, "min")},
	{"integer", `{"type":"number"}`, `{"type":"number","integer":true}`, held(conditional, `{"f":1}`, `{"f":1.5}`, "integer"), free(safe, `{"f":1}`)},
	{"pattern", `{"type":"text"}`, `{"type":"text","pattern":"^a"}`, held(conditional, `{"f":"ab"}`, `{"f":"b"}`, "pattern"), free(safe, `{"f":"a"}`)},
	{"another pattern", `{"type":"text","pattern":"^a"}`, `{"type":"text","pattern":"b$"}`, held(conditional, `{"f":"ab"}`, `{"f":"a"}`, "pattern"), held(conditional, `{"f":"ab"}`, `{"f":"b"}`, "pattern")},
	{"enum", `{"type":"text"}`, `{"type":"text","enum":["a"]}`, held(conditional, `{"f":"a"}`, `{"f":"b"}`, "enum"), free(safe, `{"f":"a"}`)},
	{"enum grown", `{"type":"text","enum":["a"]}`, `{"type":"text","enum":["a","b"]}`, free(safe, `{"f":"a"}`), held(conditional, `{"f":"a"}`, `{"f":"b"}`, "enum")},
	{"enum reordered", `{"type":"text","enum":["a","b"]}`, `{"type":"text","enum":["b","a"]}`, free(safe, `{"f":"a"}`), free(safe, `{"f":"b"}`)},
	{"maxItems", `{"type":"list","of":{"type":"text"},"maxItems":1}`, `{"type":"list","of":{"type":"text"},"maxItems":2}`, free(safe, `{"f":["x"]}`), held(conditional, `{"f":["x"]}`, `{"f":["x","y"]}`, "max_items")},
	{"minItems", `{"type":"list","of":{"type":"text"},"minItems":2}`, `{"type":"list","of":{"type":"text"}}`, free(safe, `{"f":["x","y"]}`), held(conditional, `{"f":["x","y"]}`, `{"f":["x"]}`, "min_items")},
	{"a constraint of items", `{"type":"list","of":{"type":"text","maxLength":1}}`, `{"type":"list","of":{"type":"text"}}`, free(safe, `{"f":["x"]}`), held(conditional, `{"f":["x"]}`, `{"f":["x","xy"]}`, "max_length")},
	{"the kind of items", `{"type":"list","of":{"type":"text"}}`, `{"type":"list","of":{"type":"number"}}`, held(destructive, `{"f":[]}`, `{"f":["x"]}`, "type"), held(destructive, `{"f":[]}`, `{"f":[1]}`, "type")},
	{"multiple of an asset", `{"type":"asset"}`, `{"type":"asset","multiple":true}`, free(safe, `{"f":"{image}"}`), held(conditional, `{}`, `{"f":["{image}","{video}"]}`, "type")},
	{"multiple of a reference", `{"type":"reference","to":"c"}`, `{"type":"reference","to":"c","multiple":true}`, free(safe, `{"f":"{c}"}`), held(conditional, `{}`, `{"f":["{c}"]}`, "type")},
	{"the target of a reference", `{"type":"reference","to":"c"}`, `{"type":"reference","to":"d"}`, held(destructive, `{}`, `{"f":"{c}"}`, "reference"), held(destructive, `{}`, `{"f":"{d}"}`, "reference")},
	{"the target of listed references", `{"type":"list","of":{"type":"reference","to":"c"}}`, `{"type":"list","of":{"type":"reference","to":"d"}}`, held(destructive, `{"f":[]}`, `{"f":["{c}"]}`, "reference"), held(destructive, `{"f":[]}`, `{"f":["{d}"]}`, "reference")},
	{"the target of references in blocks", `{"type":"blocks","allowed":[{"key":"a","fields":{"x":{"type":"reference","to":"c"}}}]}`, `{"type":"blocks","allowed":[{"key":"a","fields":{"x":{"type":"reference","to":"d"}}}]}`,
		held(destructive, `{"f":[]}`, `{"f":[{"type":"a","fields":{"x":"{c}"}}]}`, "reference"), held(destructive, `{"f":[]}`, `{"f":[{"type":"a","fields":{"x":"{d}"}}]}`, "reference")},
	{"allowed families", `{"type":"asset","allowed":["image/*"]}`, `{"type":"asset","allowed":["image/*","video/*"]}`, free(safe, `{"f":"{image}"}`), held(conditional, `{"f":"{image}"}`, `{"f":"{video}"}`, "asset")},
	{"allowed families or all", `{"type":"asset","allowed":["image/png"]}`, `{"type":"asset"}`, free(safe, `{"f":"{image}"}`), held(conditional, `{"f":"{image}"}`, `{"f":"{video}"}`, "asset")},
	{"allowed families of several assets", `{"type":"asset","multiple":true,"allowed":["image/*"]}`, `{"type":"asset","multiple":true,"allowed":["image/png"]}`, held(conditional, `{"f":["{image}"]}`, `{"f":["{image}","{jpeg}"]}`, "asset"), free(safe, `{"f":["{image}"]}`)},
	{"allowed families of listed assets", `{"type":"list","of":{"type":"asset"}}`, `{"type":"list","of":{"type":"asset","allowed":["image/*"]}}`, held(conditional, `{"f":["{image}"]}`, `{"f":["{image}","{video}"]}`, "asset"), free(safe, `{"f":["{image}"]}`)},
	{"allowed families in blocks", `{"type":"blocks","allowed":[{"key":"a","fields":{"x":{"type":"asset"}}}]}`, `{"type":"blocks","allowed":[{"key":"a","fields":{"x":{"type":"asset","allowed":["image/*"]}}}]}`,
		held(conditional, `{"f":[{"type":"a","fields":{"x":"{image}"}}]}`, `{"f":[{"type":"a","fields":{"x":"{video}"}}]}`, "asset"), free(safe, `{"f":[{"type":"a","fields":{"x":"{image}"}}]}`)},
	{"a text that becomes an asset", `{"type":"text"}`, `{"type":"asset","allowed":["image/*"]}`, held(destructive, `{"f":"{image}"}`, `{"f":"{video}"}`, "asset"), free(destructive, `{"f":"{image}"}`)},
	{"a block", `{"type":"blocks","allowed":[{"key":"a","fields":{}}]}`, `{"type":"blocks","allowed":[{"key":"a","fields":{}},{"key":"b","fields":{}}]}`, free(safe, `{"f":[{"type":"a","fields":{}}]}`), free(destructive, `{"f":[{"type":"b","fields":{}}]}`)},
	{"a nested field", `{"type":"object","fields":{"a":{"type":"text"}}}`, `{"type":"object","fields":{"a":{"type":"text"},"b":{"type":"text","required":true}}}`, held(conditional, `{}`, `{"f":{"a":"x"}}`, "required"), free(destructive, `{"f":{"a":"x","b":"y"}}`)},
	{"a field of listed objects made required", `{"type":"list","of":{"type":"object","fields":{"a":{"type":"text"}}}}`, `{"type":"list","of":{"type":"object","fields":{"a":{"type":"text","required":true}}}}`, held(conditional, `{"f":[{"a":"x"}]}`, `{"f":[{"a":"x"},{}]}`, "required"), free(safe, `{"f":[{"a":"x"}]}`)},
	{"localized", `{"type":"text"}`, `{"type":"text","localized":true}`, free(conditional, `{"f":"x"}`), held(destructive, `{}`, `{"f":{"en":"x","de":"y"}}`, "type")},
	{"localized JSON", `{"type":"json"}`, `{"type":"json","localized":true}`, held(conditional, `{"f":{"fr":"x"}}`, `{"f":{"de":"x"}}`, "type"), held(destructive, `{}`, `{"f":{"en":{"a":1}}}`, "type")},
	{"a localized object", `{"type":"object","fields":{"a":{"type":"text"},"de":{"type":"text"}}}`, `{"type":"object","localized":true,"fields":{"a":{"type":"text"},"de":{"type":"text"}}}`,
		held(conditional, `{"f":{"a":"x"}}`, `{"f":{"de":"x"}}`, "type"), held(destructive, `{}`, `{"f":{"en":{"a":"x"}}}`, "type")},
}

func TestEveryRowDecidesOverContentBothWays(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i, d := range deployments {
		t.Run(d.name, func(t *testing.T) {
			for j, w := range []way{d.there, d.back} {
				old, new := d.old, d.new
				if j == 1 {
					old, new = new, old
				}
				t.Run([]string{"there", "back"}[j], func(t *testing.T) {
					b.in(t, fmt.Sprintf("site-%d-%d", i, j)).tryRow(old, new, w)
				})
			}
		})
	}
}

// in is a bed with a project of its own, with two locales.
func (b bed) in(t *testing.T, slug string) bed {
	t.Helper()
	b.T = t
	org, err := project.Get(t.Context(), b.pool, string(b.id))
	b.ok(err)
	p, err := project.Create(t.Context(), b.pool, access.System(), org.Organization, project.NewProject{Slug: slug})
	b.ok(err)
	b.id = p.ID
	en := "en"
	_, err = schemadeploy.Configure(t.Context(), b.pool, access.System(), b.id, project.Settings{Locales: &[]string{"en", "de"}, DefaultLocale: &en})
	b.ok(err)
	return b
}

func withField(f string) []string {
	if f != "" {
		f = `"f":` + f + `,`
	}
	return []string{`{"name":"c","fields":{` + f + `"g":{"type":"text"}}}`, `{"name":"d","fields":{}}`}
}

func (b bed) tryRow(old, new string, w way) {
	b.push(withField(old)...)
	fill := strings.NewReplacer("{c}", string(b.write("c", `{}`, old)), "{d}", string(b.write("d", `{}`, "")),
		"{image}", b.asset("image/png"), "{jpeg}", b.asset("image/jpeg"), "{video}", b.asset("video/mp4"))
	if w.fits != "" {
		b.write("c", fill.Replace(w.fits), "")
	}
	proposed := withField(new)
	out, err := b.diff(proposed...)
	b.ok(err)
	if out.Plan.Class != w.class {
		b.Errorf("classified %s, want %s", out.Plan.Class, w.class)
	}
	if w.misfit != "" {
		b.refuseMisfit(fill.Replace(w.misfit), w.code, proposed)
		return
	}
	if out.ContentErrorCount > 0 {
		b.Fatalf("%+v", out.ContentErrors)
	}
	if _, err := b.try(false, proposed...); (w.class == destructive) != fault.Is(err, fault.SchemaChangeDestructive) {
		b.Fatalf("not allowed to lose content: %v", err)
	}
	_, err = b.try(true, proposed...)
	b.ok(err)
}

func (b bed) asset(contentType string) string {
	b.Helper()
	return string(assettest.Insert(b, b.pool, b.id, contentType))
}

// refuseMisfit writes an entry that does not fit what is proposed, and sees it keep a push out whatever is allowed.
func (b bed) refuseMisfit(data, code string, proposed []string) {
	b.Helper()
	before, err := b.diff(proposed...)
	b.ok(err)
	misfit := b.write("c", data, "")
	out, err := b.diff(proposed...)
	b.ok(err)
	if out.ContentErrorCount != before.ContentErrorCount+1 {
		b.Fatalf("%d content errors, then %+v", before.ContentErrorCount, out.ContentErrors)
	}
	if e := out.ContentErrors[len(out.ContentErrors)-1]; e.Entry != misfit || e.Code != code {
		b.Errorf("%+v, want %s of %s", e, code, misfit)
	}
	_, err = b.try(true, proposed...)
	f := fault.As(err)
	if !fault.Is(err, fault.ValidationFailed) || len(f.Items) != out.ContentErrorCount {
		b.Errorf("%v", err)
	}
}

// write makes an entry; one that its field's requirements keep from being empty gets a value.
func (b bed) write(collection, data, field string) entryID {
	b.Helper()
	if strings.Contains(field, `"required":true}`) && !strings.Contains(field, "fields") {
		data = `{"f":"y"}`
	}
	w, err := entry.Create(b.Context(), b.pool, access.System(), b.id, collection, entry.Write{Data: jsontext.Value(data)})
	if err != nil {
		b.Fatalf("writing %s: %v", data, fault.As(err).Items)
	}
	return w.Entry.ID
}
