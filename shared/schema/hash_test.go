package schema

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files again")

// The hash of a schema names versions that are stored; it must never change between versions of the program. A
// golden file holds the canonical form and the hash of the file beside it.
func TestHashesNeverChange(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			got := append(c.Canonical(), "\n"+c.Hash()+"\n"...)
			golden := strings.TrimSuffix(file, ".json") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestTheHashLeavesOutTheLabelOfTheCollectionOnly(t *testing.T) {
	hash := func(file string) string {
		c, err := Parse([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		return c.Hash()
	}
	plain := hash(`{"name":"a","fields":{"f":{"type":"text"}}}`)
	if hash(`{"name":"a","label":"A","fields":{"f":{"type":"text"}}}`) != plain {
		t.Error("the label of the collection counts")
	}
	for _, other := range []string{
		`{"name":"a","fields":{"f":{"type":"text","label":"F"}}}`,
		`{"name":"a","fields":{"f":{"type":"text","description":"F"}}}`,
		`{"name":"a","fields":{"f":{"type":"text","ui":{"group":"g"}}}}`,
		`{"name":"a","fields":{"f":{"type":"text","default":""}}}`,
		`{"name":"a","fields":{"f":{"type":"text"}},"guidance":"x"}`,
		`{"name":"b","fields":{"f":{"type":"text"}}}`,
	} {
		if hash(other) == plain {
			t.Errorf("%s has the hash of another meaning", other)
		}
	}
}

func TestEqualMeanings(t *testing.T) {
	for _, tt := range []struct{ name, a, b string }{
		{"defaults spelled out", field(`{"type":"text"}`), field(`{"type":"text","required":false,"localized":false,"multiline":false,"minLength":0,"label":"","ui":{"hidden":false}}`)},
		{"numbers written otherwise", field(`{"type":"number","min":10,"max":1e2,"default":10.50}`), field(`{"type":"number","min":1.0e1,"max":100.00,"default":10.5}`)},
		{"zero", field(`{"type":"number","min":0,"default":0}`), field(`{"type":"number","min":-0.00,"default":0e7}`)},
		{"lengths written otherwise", field(`{"type":"text","maxLength":80}`), field(`{"type":"text","maxLength":8e1}`)},
		{"escapes", field(`{"type":"text","default":"é/"}`), field(`{"type":"text","default":"\u00e9\/"}`)},
		{"instants in two offsets", field(`{"type":"datetime","min":"2020-01-01T01:00:00.000+01:00"}`), field(`{"type":"datetime","min":"2020-01-01T00:00:00Z"}`)},
		{"families in another order", field(`{"type":"asset","allowed":["video/*","IMAGE/*"]}`), field(`{"type":"asset","allowed":["image/*","video/*"]}`)},
		{"every family", field(`{"type":"asset","allowed":["*/*","image/*"]}`), field(`{"type":"asset"}`)},
		{"a family that another covers", field(`{"type":"asset","allowed":["image/png","image/*"]}`), field(`{"type":"asset","allowed":["image/*"]}`)},
		{"a family twice", field(`{"type":"asset","allowed":["image/png","IMAGE/PNG"]}`), field(`{"type":"asset","allowed":["image/png"]}`)},
		{"the collection's defaults spelled out", `{"name":"a","label":"a","kind":"collection","visibility":"private","titleField":null,"path":null,"guidance":"","policy":[],"fields":{}}`, `{"fields":{},"name":"a"}`},
		{"a rule's defaults spelled out", `{"name":"a","policy":[{"words":false,"min":0,"max":5,"reason":"","field":"f","rule":"length"}],"fields":{"f":{"type":"text"}}}`, `{"name":"a","policy":[{"rule":"length","field":"f","max":5}],"fields":{"f":{"type":"text"}}}`},
		{"a block's defaults spelled out", field(`{"type":"blocks","minItems":0,"allowed":[{"label":"","fields":{},"key":"b"}]}`), field(`{"allowed":[{"key":"b","fields":{}}],"type":"blocks"}`)},
		{"slug from the title field", `{"name":"a","titleField":"f","fields":{"f":{"type":"text"},"s":{"type":"slug","from":"f"}}}`, `{"name":"a","titleField":"f","fields":{"f":{"type":"text"},"s":{"type":"slug"}}}`},
		{"slug from itself", `{"name":"a","fields":{"s":{"type":"slug","from":"s"}}}`, `{"name":"a","fields":{"s":{"type":"slug"}}}`},
		{"null for no default", field(`{"type":"json","default":null}`), field(`{"type":"json"}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := Parse([]byte(tt.a))
			if err != nil {
				t.Fatal(err)
			}
			b, err := Parse([]byte(tt.b))
			if err != nil {
				t.Fatal(err)
			}
			if a.Hash() != b.Hash() {
				t.Errorf("differ:\n%s\n%s", a.Canonical(), b.Canonical())
			}
		})
	}
}

// A default is a value, and entries get it as it stands there: the members of json in their order, its numbers with their
// text, a datetime with its offset. Readers see the difference, so these are different meanings.
func TestDefaultsThatReadersTellApartHaveHashesOfTheirOwn(t *testing.T) {
	for _, tt := range []struct{ name, a, b string }{
		{"members in another order", field(`{"type":"json","default":{"a":1,"b":2}}`), field(`{"type":"json","default":{"b":2,"a":1}}`)},
		{"numbers written otherwise", field(`{"type":"json","default":[1]}`), field(`{"type":"json","default":[1.0]}`)},
		{"an instant in another offset", field(`{"type":"datetime","default":"2020-01-01T00:00:00Z"}`), field(`{"type":"datetime","default":"2020-01-01T01:00:00+01:00"}`)},
	} {
		a, errA := Parse([]byte(tt.a))
		b, errB := Parse([]byte(tt.b))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if a.Hash() == b.Hash() {
			t.Errorf("%s: one hash for %s and %s", tt.name, a.Field("f").Default, b.Field("f").Default)
		}
	}
}

// Whatever can be written as a bound or a default, its canonical form is read back as the same number.
func TestCanonicalNumbersAreReadBack(t *testing.T) {
	nines := strings.Repeat("9", MaxNumberDigits)
	for _, number := range []string{
		"0", "-0", "1", "-1.50", "1e20", "1e21", "-1e21", "1e-30", "1e-31", "-1e-31", "1e1000", "-10e1000", "100e999", nines, "-" + nines, nines + "e1000", nines[1:] + "0e1000",
		"1e-1000", "1.5e-1000", "-0.015e-1000", "0.0000000001e-1000", "0." + nines[1:] + "e-1000", nines[1:] + ".9e-1000", "1." + strings.Repeat("0", MaxNumberDigits-2) + "1e-1000",
	} {
		c, err := Parse([]byte(field(`{"type":"number","min":` + number + `,"default":` + number + `}`)))
		if err != nil {
			t.Fatalf("%s: %v", number, err)
		}
		again, err := Parse(c.Canonical())
		if err != nil {
			t.Fatalf("%s is written as %s: %v", number, c.Field("f").Min, err)
		}
		want, err := ParseNumber(number)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{again.Field("f").Min, string(again.Field("f").Default)} {
			got, err := ParseNumber(text)
			if err != nil || got.Cmp(want) != 0 {
				t.Errorf("%s is written as %s: %v", number, text, err)
			}
		}
		if again.Hash() != c.Hash() {
			t.Errorf("%s: the hash changes", number)
		}
	}
}
