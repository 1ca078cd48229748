package value

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/schema/schematest"
	"svc/shared/testrand"
)

func collection(t testing.TB, fields string) *schema.Collection {
	t.Helper()
	c, err := schema.Parse([]byte(`{"name":"c","fields":{` + fields + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var german = Locales{Codes: []string{"en", "de", "fr"}, Default: "en"}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct {
		name, fields, in, want string
		locales                Locales
		fill                   Fill
	}{
		{name: "schema order, undeclared left out", fields: `"a":{"type":"json"},"b":{"type":"number"}`, in: `{"b":1.50,"x":1,"a":{"z":1,"y":2}}`, want: `{"a":{"z":1,"y":2},"b":1.50}`},
		{name: "null is unset", fields: `"a":{"type":"text"},"b":{"type":"text"}`, in: `{"a":null,"b":""}`, want: `{"b":""}`},
		{name: "nested order", fields: `"o":{"type":"object","fields":{"a":{"type":"text"},"b":{"type":"text"}}}`, in: `{"o":{"b":"2","a":"1","x":0}}`, want: `{"o":{"a":"1","b":"2"}}`},
		{name: "objects in a list", fields: `"l":{"type":"list","of":{"type":"object","fields":{"a":{"type":"text"},"b":{"type":"text"}}}}`, in: `{"l":[{"b":"2","a":"1"},{}]}`, want: `{"l":[{"a":"1","b":"2"},{}]}`},
		{name: "blocks", fields: `"s":{"type":"blocks","allowed":[{"key":"q","fields":{"a":{"type":"text"},"b":{"type":"text"}}}]}`,
			in: `{"s":[{"fields":{"b":"2","a":"1"},"type":"q"},{"type":"gone","fields":{}},{"type":"q"}]}`, want: `{"s":[{"type":"q","fields":{"a":"1","b":"2"}},{"type":"q","fields":{}}]}`},
		{name: "one id where several may be", fields: `"r":{"type":"reference","to":"c","multiple":true}`, in: `{"r":"ent_x"}`, want: `{"r":["ent_x"]}`},
		{name: "localized without locales", fields: `"a":{"type":"text","localized":true}`, in: `{"a":"x"}`, want: `{"a":"x"}`},
		{name: "plain value of a localized field", fields: `"a":{"type":"text","localized":true}`, in: `{"a":"x"}`, want: `{"a":{"en":"x"}}`, locales: german},
		{name: "locale maps in order", fields: `"a":{"type":"text","localized":true}`, in: `{"a":{"fr":"z","en":null,"de":"y"}}`, want: `{"a":{"de":"y","fr":"z"}}`, locales: german},
		{name: "empty locale map", fields: `"a":{"type":"text","localized":true}`, in: `{"a":{"en":null}}`, want: `{}`, locales: german},
		{name: "values that do not fit are copied", fields: `"o":{"type":"object","fields":{}},"l":{"type":"list","of":{"type":"object","fields":{}}}`, in: `{"o":[1],"l":{"a":1}}`, want: `{"o":[1],"l":{"a":1}}`},
		{name: "no default filled", fields: `"a":{"type":"text","required":true,"default":"x"}`, in: `{}`, want: `{}`},
		{name: "defaults of required fields", fields: `"a":{"type":"text","required":true,"default":"x"},"b":{"type":"text","default":"y"}`, in: `{"a":null}`, want: `{"a":"x"}`, fill: FillRequired},
		{name: "every default but of null", fields: `"a":{"type":"text","default":"x"},"b":{"type":"number","default":1},"c":{"type":"text","required":true,"default":"z"}`, in: `{"b":null,"c":null}`, want: `{"a":"x","c":"z"}`, fill: FillAll},
		{name: "localized default", fields: `"a":{"type":"text","localized":true,"default":"x"}`, in: `{}`, want: `{"a":{"en":"x"}}`, fill: FillAll, locales: german},
		{name: "nested defaults where the object is", fields: `"o":{"type":"object","fields":{"a":{"type":"text","default":"x"}}},"p":{"type":"object","fields":{"a":{"type":"text","default":"x"}}}`, in: `{"o":{}}`, want: `{"o":{"a":"x"}}`, fill: FillAll},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical(collection(t, tt.fields), tt.locales, jsontext.Value(tt.in), tt.fill)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	c := collection(t, `"a":{"type":"text","localized":true},"b":{"type":"number"},"o":{"type":"object","localized":true,"fields":{"t":{"type":"text"},"en":{"type":"text"}}},"j":{"type":"json","localized":true},"r":{"type":"richText","localized":true},"m":{"type":"reference","to":"c","multiple":true,"localized":true}`)
	for _, tt := range []struct{ name, in, locale, want string }{
		{"locale maps without a locale", `{"b":1,"a":{"en":"x"}}`, "", `{"a":{"en":"x"},"b":1}`},
		{"the locale's value", `{"a":{"de":"y","en":"x"}}`, "de", `{"a":"y","o":null,"j":null,"r":null,"m":null}`},
		{"the default locale's value", `{"a":{"de":"y","en":"x"}}`, "fr", `{"a":"x","o":null,"j":null,"r":null,"m":null}`},
		{"neither", `{"a":{"de":"y"},"b":1.0}`, "fr", `{"a":null,"b":1.0,"o":null,"j":null,"r":null,"m":null}`},
		{"null falls back", `{"a":{"de":null,"en":"x"}}`, "de", `{"a":"x","o":null,"j":null,"r":null,"m":null}`},
		{"a plain value is the default locale's", `{"a":"x","o":{"t":"1"},"j":{"k":1},"r":{"type":"doc"},"m":"ent_x"}`, "de", `{"a":"x","o":{"t":"1"},"j":{"k":1},"r":{"type":"doc"},"m":["ent_x"]}`},
		{"a plain value without a locale", `{"a":"x","o":{"t":"1"},"j":[1],"r":{"type":"doc"},"m":["ent_x"]}`, "", `{"a":{"en":"x"},"o":{"en":{"t":"1"}},"j":{"en":[1]},"r":{"en":{"type":"doc"}},"m":{"en":["ent_x"]}}`},
		{"objects by locale", `{"o":{"de":{"t":"2"}},"j":{"de":{"k":1}},"r":{"de":{"type":"doc"}},"m":{"de":["ent_y"]}}`, "de", `{"a":null,"o":{"t":"2"},"j":{"k":1},"r":{"type":"doc"},"m":["ent_y"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := AppendResolved(nil, c, german, tt.locale, jsontext.Value(tt.in))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
			prefix := []byte(`{"fields":`)
			appended, err := AppendResolved(bytes.Clone(prefix), c, german, tt.locale, jsontext.Value(tt.in))
			if err != nil || string(appended) != string(prefix)+tt.want {
				t.Errorf("appended %s, %v", appended, err)
			}
		})
	}
	if _, err := AppendResolved(nil, c, german, "de", jsontext.Value(`{"a":{"de":"y"`)); err == nil {
		t.Error("a broken form is not noticed")
	}
}

func TestReadIsWhatAReaderSees(t *testing.T) {
	c := collection(t, `"a":{"type":"text","localized":true},"b":{"type":"text"}`)
	fields := jsontext.Value(`{"a":{"de":"y","en":"x"},"b":null}`)
	for _, tt := range []struct{ locale, key, want string }{
		{"de", "a", `"y"`}, {"fr", "a", `"x"`}, {"", "a", `"x"`}, {"de", "b", ""}, {"de", "c", ""},
	} {
		if got, err := Read(c, german, tt.locale, fields, tt.key); err != nil || string(got) != tt.want {
			t.Errorf("%s in %q: got %s, %v", tt.key, tt.locale, got, err)
		}
	}
}

func TestStoredFormIsStable(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		c, err := schema.Parse(schematest.Files().Draw(t, "file").Plain())
		if err != nil {
			t.Fatal(err)
		}
		locales := rapid.SampledFrom([]Locales{{}, german}).Draw(t, "locales")
		fields, err := ParseObject(schematest.Entry(t, c, locales.Codes), "fields")
		if err != nil {
			t.Fatal(err)
		}
		stored, err := Canonical(c, locales, fields, FillRequired)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Canonical(c, locales, stored, FillRequired)
		if err != nil || !bytes.Equal(stored, again) {
			t.Fatalf("%s becomes %s, %v", stored, again, err)
		}
		if taken, err := Intake(stored, "fields"); err != nil || !bytes.Equal(taken, stored) {
			t.Fatalf("%s is not compact: %s, %v", stored, taken, err)
		}
		for _, locale := range append([]string{""}, locales.Codes...) {
			resolved, err := AppendResolved(nil, c, locales, locale, stored)
			if err != nil || !jsontext.Value(resolved).IsValid() {
				t.Fatalf("%s in %q: %s, %v", stored, locale, resolved, err)
			}
			if locale == "" && !bytes.Equal(resolved, stored) {
				t.Fatalf("%s without a locale: %s", stored, resolved)
			}
		}
	})
}

// An entry of about 2 KB, as the reads of a site see it.
func benchEntry(b *testing.B) (*schema.Collection, jsontext.Value) {
	c := collection(b, `"title":{"type":"text","localized":true},"slug":{"type":"slug"},"summary":{"type":"text","localized":true},"body":{"type":"markdown","localized":true},"rating":{"type":"number"},"tags":{"type":"list","of":{"type":"text"}},"author":{"type":"reference","to":"c"},"seo":{"type":"object","fields":{"title":{"type":"text"},"description":{"type":"text"}}},"at":{"type":"datetime"}`)
	text := strings.Repeat(`Lorem ipsum \"dolor\" sit amet. `, 25)
	fields := jsontext.Value(`{"title":{"de":"Ein Titel","en":"A title"},"slug":"a-title","summary":{"de":"Kurz","en":"Short"},"body":{"de":"` + text + `","en":"` + text + `"},"rating":4.5,"tags":["a","b","c"],"author":"ent_01h455vb4pex5vsknk084sn02q","seo":{"title":"x","description":"y"},"at":"2026-01-01T00:00:00Z"}`)
	return c, fields
}

func BenchmarkAppendResolved(b *testing.B) {
	c, fields := benchEntry(b)
	for name, locale := range map[string]string{"maps": "", "locale": "de", "fallback": "fr"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(fields)))
			b.ReportAllocs()
			dst := make([]byte, 0, 2*len(fields))
			for b.Loop() {
				if _, err := AppendResolved(dst, c, german, locale, fields); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkIntake(b *testing.B) {
	_, fields := benchEntry(b)
	b.SetBytes(int64(len(fields)))
	for b.Loop() {
		if _, err := Intake(fields, "fields"); err != nil {
			b.Fatal(err)
		}
	}
}
