package value

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

func TestIntakeRefuses(t *testing.T) {
	for _, tt := range []struct{ name, in, path, says string }{
		{"nothing", ``, "data", "not valid JSON"},
		{"broken", `{"a":`, "data.a", "not valid JSON"},
		{"two values", `{} {}`, "data", "not valid JSON"},
		{"repeated member", `{"a":[0,{"b":1,"b":2}]}`, "data.a[1].b", "twice"},
		{"repeated member, escaped", `{"a":1,"\u0061":2}`, "data.a", "twice"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "data.a", "UTF-8"},
		{"lone high surrogate", `{"a":"\ud800"}`, "data.a", "surrogate"},
		{"lone low surrogate", `["\udc00"]`, "data[0]", "surrogate"},
		{"NUL", `{"a":{"b":"x\u0000"}}`, "data.a.b", "NUL"},
		{"NUL after a backslash", `{"b":["\\\\","\\\u0000"]}`, "data.b[1]", "NUL"},
		{"NUL in a name", `{"a\u0000":1}`, `data.a\x00`, "NUL"},
		{"a sly name", `{"a\u202eb":1e9999}`, `data.a\u202eb`, "exponent"},
		{"a sly name twice", `{"a\u202eb":1,"a\u202eb":2}`, `data.a\u202eb`, "twice"},
		{"a long name", `{"` + strings.Repeat("a", 10_000) + `":1e9999}`, "data." + strings.Repeat("a", 60) + "…", "exponent"},
		{"long names", strings.Repeat(`{"`+strings.Repeat("a", 50)+`":`, 9) + `1e9999` + strings.Repeat("}", 9), "data" + strings.Repeat("."+strings.Repeat("a", 50), 4)[:196] + "…", "exponent"},
		{"65 levels", strings.Repeat("[", 65) + strings.Repeat("]", 65), "data" + strings.Repeat("[0]", 64), "64"},
		{"101 digits", `{"n":[` + strings.Repeat("9", 101) + `]}`, "data.n[0]", "100 digits"},
		{"101 digits with a fraction", `[0.` + strings.Repeat("9", 100) + `]`, "data[0]", "100 digits"},
		{"exponent 1001", `[1, 1E+1001]`, "data[1]", "exponent"},
		{"exponent -1001", `[1e-1001]`, "data[0]", "exponent"},
		{"exponent beyond integers", `[1e99999999999999999999]`, "data[0]", "exponent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Intake([]byte(tt.in), "data")
			f := fault.As(err)
			if f == nil || f.Code != fault.ValidationFailed || len(f.Items) != 1 {
				t.Fatalf("got %v", err)
			}
			if f.Items[0].Path != tt.path || !strings.Contains(f.Items[0].Message, tt.says) {
				t.Errorf("got %+v, want %q at %s", f.Items[0], tt.says, tt.path)
			}
		})
	}
}

func TestIntakeKeepsWhatIsGood(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"number text", "[9007199254740993, 1.50e+01, -0, 0.10]", "[9007199254740993,1.50e+01,-0,0.10]"},
		{"100 digits, exponent 1000", "[" + strings.Repeat("9", 100) + ", 1e1000, 1e-1000, 1e0001000]", "[" + strings.Repeat("9", 100) + ",1e1000,1e-1000,1e0001000]"},
		{"order of members", "{ \"b\" : 1 , \"a\" : 2 }", `{"b":1,"a":2}`},
		{"strings", `["\u003c\u0041\/\ud83c\udf88\n\\u0000"]`, `["<A/🎈\n\\u0000"]`},
		{"64 levels", strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + strings.Repeat("]", 64)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Intake([]byte(tt.in), "data")
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestParseObjectWantsAnObject(t *testing.T) {
	if _, err := ParseObject([]byte(`[]`), "data"); !fault.Is(err, fault.ValidationFailed) {
		t.Errorf("an array: %v", err)
	}
	if got, err := ParseObject([]byte(` {} `), "data"); err != nil || string(got) != "{}" {
		t.Errorf("an object: %s, %v", got, err)
	}
}

func TestBrokenFormsAreNoticed(t *testing.T) {
	for _, raw := range []string{"", "{", "}", "{]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1"b":2}`, `{"a":"}`, `{a:1}`, `{"a":[}`, `{,}`, `{"a":1]}`} {
		if members, err := Members(jsontext.Value(raw)); err == nil {
			t.Errorf("%s: got %v", raw, members)
		}
	}
	for _, raw := range []string{"[", "[1,]", "[,1]", `["]`, "[{]", "[1 2"} {
		if items, err := Items(jsontext.Value(raw)); err == nil {
			t.Errorf("%s: got %v", raw, items)
		}
	}
}

// FuzzIntake checks that what is taken in is compact JSON of the same meaning, and that the scanner agrees with it.
func FuzzIntake(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\u0000"}]}`, `[1e1000,-0,"\ud83c\udf88"]`, `{"a":{"b":[[],{}]},"c":null}`, `"\\\u0000"`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		compact, err := Intake(data, "data")
		if err != nil {
			if ft := fault.As(err); ft.Code != fault.ValidationFailed || len(ft.Items) == 0 {
				t.Fatalf("refused without reasons: %v", err)
			}
			return
		}
		again, err := Intake(compact, "data")
		if err != nil || string(again) != string(compact) {
			t.Fatalf("%s comes back as %s, %v", compact, again, err)
		}
		if !compact.IsValid() {
			t.Fatalf("%s is not valid", compact)
		}
		walk(t, compact)
	})
}

// walk visits every value with the scanner and puts it together again.
func walk(t *testing.T, raw jsontext.Value) {
	var rebuilt []byte
	switch raw.Kind() {
	case '{':
		members, err := Members(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for i, m := range members {
			rebuilt = append(rebuilt, "{,"[min(i, 1)])
			rebuilt, _ = jsontext.AppendQuote(rebuilt, m.Name)
			rebuilt = append(append(rebuilt, ':'), m.Value...)
			walk(t, m.Value)
		}
		if len(members) == 0 {
			rebuilt = append(rebuilt, '{')
		}
		rebuilt = append(rebuilt, '}')
	case '[':
		items, err := Items(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for i, item := range items {
			rebuilt = append(append(rebuilt, "[,"[min(i, 1)]), item...)
			walk(t, item)
		}
		if len(items) == 0 {
			rebuilt = append(rebuilt, '[')
		}
		rebuilt = append(rebuilt, ']')
	default:
		return
	}
	if string(rebuilt) != string(raw) {
		t.Fatalf("%s was split into %s", raw, rebuilt)
	}
}

// FuzzScan feeds anything to the scanner, which must neither panic nor loop.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\\\""}]}`))
	f.Add([]byte(`{"a`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = Members(data)
		_, _ = Items(data)
		AssetIDs(data)
	})
}
