package value

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestReadSetReadsAsReadDoes(t *testing.T) {
	c := collection(t, `"a":{"type":"text","localized":true},"b":{"type":"number"},"c":{"type":"boolean","localized":true},"d":{"type":"date"}`)
	locales := Locales{Codes: []string{"en", "de"}, Default: "en"}
	dst := make([]jsontext.Value, len(c.Fields))
	for _, fields := range []string{
		`{}`, `{"a":{"de":"x","en":"y"},"b":1,"c":true,"d":"2024-01-01"}`, `{"d":null,"c":{"de":null,"en":false},"b":2}`, `{"x":1,"a":{"en":"y"}}`, `{"a":{},"c":{"fr":true}}`,
		`{"a":"plain"}`,
	} {
		for _, l := range []Locales{locales, {}} {
			for _, locale := range []string{"", "en", "de"} {
				if err := ReadSet(dst, c.Fields, l, locale, jsontext.Value(fields)); err != nil {
					t.Fatal(err)
				}
				for i, f := range c.Fields {
					want, err := Read(c, l, locale, jsontext.Value(fields), f.Key)
					if err != nil || string(dst[i]) != string(want) || (dst[i] == nil) != (want == nil) {
						t.Errorf("%s in %q of %s: %s, want %s, %v", f.Key, locale, fields, dst[i], want, err)
					}
				}
			}
		}
	}
	if err := ReadSet(dst, c.Fields, locales, "", jsontext.Value(`[1]`)); err == nil {
		t.Error("an array is read as an object")
	}
	whole := jsontext.Value(`{"a":{"de":"x","en":"y"},"b":1,"c":true,"d":"2024-01-01"}`)
	if n := testing.AllocsPerRun(100, func() { _ = ReadSet(dst, c.Fields, locales, "de", whole) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
