package validate

import (
	"bytes"
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/schema/diff"
	"svc/shared/schema/schematest"
	"svc/shared/testrand"
	"svc/shared/value"
)

// Random schemas are cheap, and their space is large. A flag of the command line comes after this and wins.
func init() {
	if err := flag.Set("rapid.checks", "1000"); err != nil {
		panic(err)
	}
}

func draw(t *rapid.T, label string) *schema.Collection {
	return parse(t, schematest.Files().Draw(t, label).Plain())
}

func parse(t *rapid.T, file []byte) *schema.Collection {
	c, err := schema.Parse(file)
	if err != nil {
		t.Fatalf("%s\n%v", file, err)
	}
	return c
}

func TestFittingValuesAreAcceptedAndStayAccepted(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		c := draw(t, "file")
		locales := rapid.SampledFrom([]value.Locales{{}, german}).Draw(t, "locales")
		fields := schematest.Entry(t, c, locales.Codes)
		stored, items := Entry(c, locales, fields, value.FillRequired)
		if len(items) > 0 {
			t.Fatalf("%s\n%s\n%+v", c.Canonical(), fields, items)
		}
		again, items := Entry(c, locales, stored, value.FillRequired)
		if len(items) > 0 || !bytes.Equal(stored, again) {
			t.Fatalf("%s becomes %s, %+v", stored, again, items)
		}
		if items, err := Stored(c, locales, stored); err != nil || len(items) > 0 {
			t.Fatalf("%s: %+v, %v", stored, items, err)
		}
	})
}

// What a new entry gets by default fits as what was written does, and giving defaults again adds nothing.
func TestDefaultsFit(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		c := draw(t, "file")
		locales := rapid.SampledFrom([]value.Locales{{}, german}).Draw(t, "locales")
		made, err := applyDefaults(c, locales, schematest.Entry(t, c, locales.Codes))
		if err != nil {
			t.Fatal(err)
		}
		stored, items := Entry(c, locales, made, value.FillRequired)
		if len(items) > 0 || !bytes.Equal(stored, made) {
			t.Fatalf("%s\n%s becomes %s, %+v", c.Canonical(), made, stored, items)
		}
		again, err := applyDefaults(c, locales, made)
		if err != nil || !bytes.Equal(again, made) {
			t.Fatalf("%s\n%s becomes %s, %v", c.Canonical(), made, again, err)
		}
	})
}

// A policy can be held against whatever fits, and names places of the entry. What it makes of lengths of plain text and
// of unset required fields follows from the stored JSON alone.
func TestPoliciesMeetWhateverFits(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		c := draw(t, "file")
		stored, items := Entry(c, value.Locales{}, schematest.Entry(t, c, nil), value.FillRequired)
		if len(items) > 0 {
			t.Fatal(items)
		}
		found, err := PolicyOf(c).Check(value.Locales{}, stored, assets)
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]bool{}
		for _, item := range found {
			at[item.Path] = true
		}
		for _, r := range c.Policy {
			for _, key := range append(slices.Clone(r.Fields), r.Field) {
				if key == "" {
					continue
				}
				held, there := lookup(stored, "fields."+key)
				if r.Kind == schema.RuleRequired && !there && !at["fields."+key] {
					t.Fatalf("%s\n%s lacks %s, and nothing is found", c.Canonical(), stored, key)
				}
				if r.Kind != schema.RuleLength || !there || c.Field(key).Type != schema.TypeText || r.Words {
					continue
				}
				n := utf8.RuneCountInString(held.(string))
				if outside := r.Min != nil && n < *r.Min || n > *r.Max; outside && !at["fields."+key] {
					t.Fatalf("%s\n%s has %d characters in %s, and nothing is found", c.Canonical(), stored, n, key)
				}
			}
		}
		for path := range at {
			if _, there := lookup(stored, path); !there && c.Field(strings.TrimPrefix(path, "fields.")) == nil {
				t.Fatalf("%s is no place of %s", path, stored)
			}
		}
	})
}

// lookup returns the value at a path below fields.
func lookup(fields jsontext.Value, path string) (at any, found bool) {
	if err := json.Unmarshal(fields, &at); err != nil {
		return nil, false
	}
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })[1:] {
		switch in := at.(type) {
		case map[string]any:
			at = in[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(in) {
				return nil, false
			}
			at = in[n]
		default:
			return nil, false
		}
	}
	return at, at != nil
}

// Validation finds the one fault that was put into an entry, and no other.
func TestAFaultIsFoundWhereItWasPut(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		c := draw(t, "file")
		locales := rapid.SampledFrom([]value.Locales{{}, german}).Draw(t, "locales")
		fields, planted := schematest.Unfitting(t, c, locales.Codes)
		want := planted.Path + " " + string(planted.Code)
		stored, items := Entry(c, locales, fields, value.FillRequired)
		if got := codes(items); got != want || stored != nil {
			t.Fatalf("%s\n%s\nfound %q, want %q", c.Canonical(), fields, got, want)
		}
		compact, err := value.ParseObject(fields, "fields")
		if err != nil {
			t.Fatal(err)
		}
		undeclared := planted.Code == schema.CodeUnknownField || planted.Code == schema.CodeUnknownBlock ||
			strings.HasSuffix(planted.Path, "].type") // of a block that says no type
		items, err = Stored(c, locales, compact)
		if got := codes(items); err != nil || got != want && !undeclared {
			t.Fatalf("%s\n%s\nas stored: found %q, %v; want %q", c.Canonical(), fields, got, err, want)
		}
	})
}

// Whenever some entry that fits the old schema does not fit the new one, the change is not safe. Of the changes that are
// safe all the same because content is checked there are two, where the check must fail: a slug made required, and a
// required field that loses its default.
func TestUnsafeChangesAreNotClassedSafe(t *testing.T) {
	safe, refused := 0, 0
	testrand.Check(t, func(t *rapid.T) {
		file := schematest.Files().Draw(t, "old")
		old, now := parse(t, file.Plain()), parse(t, file.Variant(t).Plain())
		locales := rapid.SampledFrom([]value.Locales{{}, german}).Draw(t, "locales")
		plan := diff.Diff([]*schema.Collection{old}, []*schema.Collection{now})
		fill := rapid.SampledFrom([]value.Fill{value.FillNothing, value.FillRequired}).Draw(t, "fill")
		for range 5 {
			fields, err := value.ParseObject(schematest.Entry(t, old, locales.Codes), "fields")
			if err != nil {
				t.Fatal(err)
			}
			stored, err := value.Canonical(old, locales, fields, fill)
			if err != nil {
				t.Fatal(err)
			}
			if items, err := Stored(old, locales, stored); err != nil || len(items) > 0 {
				t.Fatalf("%s\n%s does not fit to begin with: %+v, %v", old.Canonical(), stored, items, err)
			}
			items, err := Stored(now, locales, stored)
			if err != nil {
				t.Fatal(err)
			}
			if plan.Class != diff.Safe {
				if len(items) > 0 {
					refused++
				}
				continue
			}
			safe++
			for _, item := range items {
				f := now.SlugField()
				slug := f != nil && item.Path == "fields."+f.Key
				if item.Code != string(schema.CodeRequired) || !slug && !lostDefault(plan, strings.TrimSuffix(item.Path, "."+locales.Default)) {
					t.Fatalf("%s\n%s\n%s\n%+v", old.Canonical(), now.Canonical(), stored, item)
				}
			}
		}
	})
	t.Logf("%d entries under safe changes, %d refused under others", safe, refused)
}

// lostDefault reports whether a plan changes the default of a field with the key that a path ends in.
func lostDefault(plan diff.Plan, path string) bool {
	key := path[strings.LastIndexByte(path, '.')+1:]
	return slices.ContainsFunc(plan.Operations, func(o diff.Operation) bool {
		return o.Kind == diff.DefaultChanged && o.Field[strings.LastIndexByte(o.Field, '.')+1:] == key
	})
}

// FuzzEntry feeds anything to Entry, under a collection with every field type. What it accepts it must accept
// again, unchanged.
func FuzzEntry(f *testing.F) {
	c := collection(f, `"title":{"type":"text","localized":true,"required":true,"minLength":1,"maxLength":20,"pattern":"^[^x]*$"},`+
		`"kind":{"type":"text","enum":["a","b"],"default":"a"},"n":{"type":"number","integer":true,"min":-5,"max":5e3},"ok":{"type":"boolean"},`+
		`"day":{"type":"date","min":"2000-01-01"},"at":{"type":"datetime"},"body":{"type":"markdown","localized":true},"data":{"type":"json","localized":true},`+
		`"cover":{"type":"asset"},"files":{"type":"asset","multiple":true},"by":{"type":"reference","to":"c"},"see":{"type":"reference","to":"c","multiple":true},`+
		`"slug":{"type":"slug"},"tags":{"type":"list","of":{"type":"text"},"maxItems":3},"seo":{"type":"object","localized":true,"fields":{"d":{"type":"text","required":true,"default":"z"}}},`+
		`"prose":{"type":"richText","localized":true},"rows":{"type":"list","of":{"type":"object","fields":{"n":{"type":"number"},"t":{"type":"text"}}}},`+
		`"sections":{"type":"blocks","allowed":[{"key":"quote","fields":{"text":{"type":"markdown","required":true},"by":{"type":"reference","to":"c"}}}]}`)
	for _, seed := range []string{
		`{"title":{"en":"T","de":null},"n":1.0e1,"day":"2024-02-29","at":"2024-01-01T00:00:00+01:00","see":` + entryID + `}`,
		`{"title":"T","data":{"en":{"a":1}},"seo":{"de":{}},"prose":{"type":"doc","content":[{"type":"text","text":"x"}]},"rows":[{"t":"x","n":1}]}`,
		`{"title":"T","sections":[{"fields":{"text":"x","by":` + entryID + `},"type":"quote"}],"files":[` + assetID + `],"tags":["a"],"ok":true}`,
		`{"title":{"en":"x","fr":1},"slug":"A","kind":"c","sections":[{"type":"video"}],"nope":1}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, localized bool) {
		var locales value.Locales
		if localized {
			locales = german
		}
		stored, items := Entry(c, locales, data, value.FillRequired)
		if len(items) > 0 {
			for _, item := range items {
				if item.Path == "" || item.Code == "" || item.Message == "" {
					t.Fatalf("an incomplete finding: %+v", item)
				}
			}
			return
		}
		again, items := Entry(c, locales, stored, value.FillRequired)
		if len(items) > 0 || !bytes.Equal(stored, again) {
			t.Fatalf("%s\nbecomes %s\n%+v", stored, again, items)
		}
		for _, locale := range append([]string{""}, locales.Codes...) {
			if resolved, err := value.AppendResolved(nil, c, locales, locale, stored); err != nil || !jsontext.Value(resolved).IsValid() {
				t.Fatalf("%s in %q: %s, %v", stored, locale, resolved, err)
			}
		}
		if _, err := value.MentionsIn(c, locales, stored); err != nil {
			t.Fatal(err)
		}
		if filled, err := applyDefaults(c, locales, data); err != nil || !jsontext.Value(filled).IsValid() {
			t.Fatalf("defaults: %s, %v", filled, err)
		}
	})
}

func BenchmarkEntry(b *testing.B) {
	c := collection(b, `"title":{"type":"text","localized":true,"maxLength":80},"body":{"type":"markdown","localized":true},"n":{"type":"number","min":0},"tags":{"type":"list","of":{"type":"text"}}`)
	body := string(bytes.Repeat([]byte("Lorem ipsum dolor sit amet. "), 30))
	in := []byte(`{"title":{"en":"A","de":"B"},"body":{"en":"` + body + `","de":"` + body + `"},"n":1.5,"tags":["a","b"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, items := Entry(c, german, in, value.FillRequired); len(items) > 0 {
			b.Fatal(items)
		}
	}
}
