package typescript

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/shared/schema"
)

var update = flag.Bool("update", false, "write the golden files again")

// read parses a collection file.
func read(t *testing.T, file string) *schema.Collection {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// golden compares with a file below testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-update writes it):\n%s", path, diff)
	}
}

func TestSourceIsFormatted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"minimal", "home", "every_option", "characters", "policy", "nesting"} {
		t.Run(name, func(t *testing.T) { golden(t, name+".ts.golden", Source(read(t, "../testdata/golden/"+name+".json"))) })
	}
}

func TestStringsAreEscaped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":              `"plain"`,
		`say "no" \ 'maybe'`: `"say \"no\" \\ 'maybe'"`,
		"a\nb\rc\td":         `"a\nb\rc\td"`,
		"\x01\x1f\x7f":       `"\u0001\u001F\u007F"`,
		"\u2028\u2029\ufeff": `"\u2028\u2029\uFEFF"`,
		"\u202eabc":          `"\u202Eabc"`,
		"no\u00a0break":      `"no\u00A0break"`,
		"é漢🎈👩\u200d🚀 ß":      "\"é漢🎈👩\u200d🚀 ß\"",
		"\U000e0001":         `"\u{E0001}"`,
		"${x} `y`":           "\"${x} `y`\"",
	} {
		if got := quote(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

func TestNumbersKeepTheirValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-5": "-5", "1.5": "1.5", "0.1": "0.1", "9007199254740991": "9007199254740991", "5e300": `exact("5e300")`,
		"9007199254740993":       `exact("9007199254740993")`,
		"0.10000000000000000001": `exact("0.10000000000000000001")`,
		"1e400":                  `exact("1e400")`,
		"1e-400":                 `exact("1e-400")`,
	} {
		if got, _ := number(text).flat(); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}

func TestJSONDefaultsKeepTheirText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"a":[1,2.5,null,true,"x"],"b-c":{}}`: `{ a: [1, 2.5, null, true, "x"], "b-c": {} }`,
		`[]`:                                   `[]`,
		`1e+21`:                                `exact("1e+21")`,
		`1.50`:                                 `exact("1.50")`,
		`-0`:                                   `exact("-0")`,
		`1e2`:                                  `exact("1e2")`,
		`{"b":1,"2":3}`:                        `exact("{\"b\":1,\"2\":3}")`,
		`{"__proto__":{}}`:                     `exact("{\"__proto__\":{}}")`,
		`[{"a":12345678901234567890}]`:         `exact("[{\"a\":12345678901234567890}]")`,
	} {
		if got, _ := literal([]byte(raw)).flat(); got != want {
			t.Errorf("%s is written %s, want %s", raw, got, want)
		}
	}
}
