package value

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// TestOutputReplacesMarkdownAndReferences: what stands instead of markdown is written at any depth, what stands instead of ids
// where a reference field holds one or several; everything else stays as it is.
func TestOutputReplacesMarkdownAndReferences(t *testing.T) {
	c := collection(t, `"m":{"type":"markdown"},"lm":{"type":"markdown","localized":true},"list":{"type":"list","of":{"type":"markdown"}},`+
		`"o":{"type":"object","fields":{"m":{"type":"markdown"},"t":{"type":"text"}}},"parts":{"type":"blocks","allowed":[{"key":"p","fields":{"m":{"type":"markdown"}}}]},`+
		`"rich":{"type":"richText"},"one":{"type":"reference","to":"c"},"many":{"type":"reference","to":"c","multiple":true},"lr":{"type":"reference","to":"c","localized":true},`+
		`"rs":{"type":"list","of":{"type":"reference","to":"c"}}`)
	for _, tt := range []struct{ name, in, locale, want string }{
		{"markdown", `{"m":"a \"b\""}`, "", `{"m":"A \"B\""}`},
		{"in every locale", `{"lm":{"de":"y","en":"x"}}`, "", `{"lm":{"de":"Y","en":"X"}}`},
		{"in one locale", `{"lm":{"de":"y","en":"x"}}`, "fr", `{"lm":"X","lr":null}`},
		{"in lists, objects and blocks", `{"list":["a",null,"b"],"o":{"m":"a","t":"b"},"parts":[{"type":"p","fields":{"m":"a"}}]}`, "", `{"list":["A",null,"B"],"o":{"m":"A","t":"b"},"parts":[{"type":"p","fields":{"m":"A"}}]}`},
		{"no markdown in richText", `{"rich":{"type":"doc","content":[]}}`, "", `{"rich":{"type":"doc","content":[]}}`},
		{"values of another type", `{"m":1,"list":"x","one":2,"many":[3,null]}`, "", `{"m":1,"list":"x","one":2,"many":[3,null]}`},
		{"references", `{"one":"a","many":["a","b"]}`, "", `{"one":{"id":"a"},"many":[{"id":"a"},{"id":"b"}]}`},
		{"one where several may be", `{"many":"a"}`, "", `{"many":[{"id":"a"}]}`},
		{"no array of a value that is no id", `{"one":{"en":"a"},"many":{"en":["a"]}}`, "", `{"one":{"en":"a"},"many":{"en":["a"]}}`},
		{"references to nothing", `{"one":"-","many":["-","a","-","b","-"]}`, "", `{"one":null,"many":[{"id":"a"},{"id":"b"}]}`},
		{"only references to nothing", `{"many":["-","-"]}`, "", `{"many":[]}`},
		{"references in locales", `{"lr":{"de":"-","en":"a"}}`, "", `{"lr":{"de":null,"en":{"id":"a"}}}`},
		{"the reference of a locale", `{"lr":{"en":"a"}}`, "de", `{"lm":null,"lr":{"id":"a"}}`},
		{"references in lists stay", `{"rs":["a","-"]}`, "", `{"rs":["a","-"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Output{
				Schema: c, Locales: german, Locale: tt.locale,
				Markdown: func(source []byte) ([]byte, error) { return []byte(strings.ToUpper(string(source))), nil },
				Reference: func(dst []byte, _ *schema.Field, id jsontext.Value) ([]byte, error) {
					if string(id) == `"-"` {
						return dst, nil
					}
					return append(append(append(dst, `{"id":`...), id...), '}'), nil
				},
			}
			if got, err := o.Append(nil, jsontext.Value(tt.in)); err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	failed := errors.New("failed")
	o := Output{Schema: c, Markdown: func([]byte) ([]byte, error) { return nil, failed }}
	if _, err := o.Append(nil, jsontext.Value(`{"list":["a"]}`)); !errors.Is(err, failed) {
		t.Errorf("an error of Markdown: %v", err)
	}
}

// TestOutputReplacesSomeFields: of a stored object the values of some fields are replaced, wherever they stand, and all else as it lies.
func TestOutputReplacesSomeFields(t *testing.T) {
	c := collection(t, `"one":{"type":"reference","to":"c"},"o":{"type":"object","fields":{"two":{"type":"reference","to":"c"}}},`+
		`"t":{"type":"text"},"two":{"type":"reference","to":"c"},"many":{"type":"reference","to":"c","multiple":true},"j":{"type":"json"}`)
	o := Output{Schema: c, Reference: func(dst []byte, f *schema.Field, id jsontext.Value) ([]byte, error) {
		if string(id) == `"-"` {
			return dst, nil
		}
		return append(append(append(dst, `{"id":`...), id...), '}'), nil
	}}
	for _, tt := range []struct{ names, in, want string }{
		{"one", `{}`, `{}`},
		{"one", `{"t":"one","two":"a"}`, `{"t":"one","two":"a"}`},
		{"one", `{"one":"a","t":"x"}`, `{"one":{"id":"a"},"t":"x"}`},
		{"one", `{"one":"-","t":"x"}`, `{"one":null,"t":"x"}`},
		{"two", `{"one":"a","o":{"two":"a"},"t":"\"two\":\"a\"","two":"a"}`, `{"one":"a","o":{"two":"a"},"t":"\"two\":\"a\"","two":{"id":"a"}}`},
		{"two many", `{"two":"a","many":["-","b","-"],"j":{"two":"a","b\"":1}}`, `{"two":{"id":"a"},"many":[{"id":"b"}],"j":{"two":"a","b\"":1}}`},
	} {
		var some schema.Fields
		for name := range strings.FieldsSeq(tt.names) {
			some = append(some, c.Field(name))
		}
		if got, err := o.AppendReplaced([]byte("x"), some, jsontext.Value(tt.in)); err != nil || string(got) != "x"+tt.want {
			t.Errorf("%s of %s: got %s, %v", tt.names, tt.in, got, err)
		}
	}
	if _, err := o.AppendReplaced(nil, schema.Fields{c.Field("two")}, jsontext.Value(`{"one" "a"}`)); !errors.Is(err, ErrForm) {
		t.Errorf("an object that is damaged: %v", err)
	}
}

// TestOutputAllocatesNothing: values that are written as they are stored cost nothing beyond dst.
func TestOutputAllocatesNothing(t *testing.T) {
	c := collection(t, `"a":{"type":"text","localized":true},"m":{"type":"markdown"},"os":{"type":"list","of":{"type":"object","fields":{"r":{"type":"reference","to":"c"}}}},"parts":{"type":"blocks","allowed":[{"key":"p","fields":{"m":{"type":"markdown"}}}]}`)
	fields := jsontext.Value(`{"a":{"de":"y","en":"x"},"m":"*x*","os":[{"r":"ent_a"},{"r":"ent_b"}],"parts":[{"type":"p","fields":{"m":"x"}}]}`)
	dst := make([]byte, 0, 1<<10)
	if n := testing.AllocsPerRun(100, func() { _, _ = AppendResolved(dst, c, german, "de", fields) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
