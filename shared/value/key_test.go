package value

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/testrand"
)

var keyed = []schema.FieldType{
	schema.TypeText, schema.TypeNumber, schema.TypeBoolean, schema.TypeDate, schema.TypeDatetime, schema.TypeSlug,
	schema.TypeReference, schema.TypeAsset,
}

// keyOf returns the key of a stored value, and nil where it does not fit.
func keyOf(t interface{ Fatalf(string, ...any) }, f *schema.Field, raw string) []byte {
	key, fits := KeyOf([]byte("before"), f, jsontext.Value(raw))
	if _, isScalar := scalarOf(f, jsontext.Value(raw)); fits != isScalar {
		t.Fatalf("%s %s: has a key %v, is a scalar %v", f.Type, raw, fits, isScalar)
	}
	if !fits {
		return nil
	}
	return append([]byte{}, key...)
}

func sign(n int) int { return min(1, max(-1, n)) }

// wantKeysToCompare checks that keys compare as scalars do, and says whether both values fit.
func wantKeysToCompare(t interface{ Fatalf(string, ...any) }, f *schema.Field, a, b string) bool {
	x, y := keyOf(t, f, a), keyOf(t, f, b)
	if x == nil || y == nil {
		return false
	}
	m, _ := scalarOf(f, jsontext.Value(a))
	n, _ := scalarOf(f, jsontext.Value(b))
	if got, want := bytes.Compare(x, y), sign(compare(m, n)); got != want {
		t.Fatalf("%s: %s and %s compare as %d, their keys %x and %x as %d", f.Type, a, b, want, x, y, got)
	}
	return true
}

func TestKeysCompareAsScalars(t *testing.T) {
	for _, tt := range []struct {
		field  schema.FieldType
		values []string
	}{
		{schema.TypeText, []string{`""`, `"A"`, `"a"`, `"a\u0001"`, `"a\"b"`, `"aa"`, `"é"`, `"漢"`, `"🎈"`, `"` + strings.Repeat("x", 300) + `"`, `"` + strings.Repeat("x", 300) + `y"`}},
		{schema.TypeNumber, []string{
			"0", "-0", "0.0", "0e5", "1", "1.0", "10e-1", "0.1e1", "100", "1e2", "99", "101", "-1", "-1.0", "-1.1", "-1.01", "-10", "-11", "-99", "-100",
			"0.5", "0.05", "0.005", "-0.5", "-0.05", "1e1000", "-1e1000", "1e-1000", "-1e-1000", strings.Repeat("9", 100) + "e1000", "-" + strings.Repeat("9", 100) + "e1000",
			"0." + strings.Repeat("0", 98) + "1e-1000", "0." + strings.Repeat("0", 97) + "10", "123456789012345678901234567890", "9007199254740993", "9007199254740992",
		}},
		{schema.TypeBoolean, []string{"true", "false"}},
		{schema.TypeDate, []string{`"0000-01-01"`, `"1999-12-31"`, `"2000-02-29"`, `"9999-12-31"`}},
		{schema.TypeDatetime, []string{
			`"0000-01-01T00:00:00Z"`, `"1969-12-31T23:59:59.999999999Z"`, `"1970-01-01T00:00:00Z"`, `"1970-01-01T00:00:00.000000001Z"`,
			`"2000-01-01T01:00:00+01:00"`, `"2000-01-01T00:00:00Z"`, `"2000-01-01T00:00:00.0Z"`, `"2000-01-01T00:00:00-23:59"`, `"9999-12-31T23:59:59.9Z"`,
		}},
	} {
		f := &schema.Field{Key: "f", Type: tt.field}
		for _, a := range tt.values {
			for _, b := range tt.values {
				if !wantKeysToCompare(t, f, a, b) {
					t.Errorf("%s: %s or %s does not fit", tt.field, a, b)
				}
			}
		}
	}
}

func TestWhatDoesNotFitHasNoKey(t *testing.T) {
	for _, raw := range []string{
		"", "null", "{}", "[]", `["a"]`, "true", "false", "tru", "1", "01", "1.", "-", "1e", "1e1001", "1e-1001", "1e0001", "1-2", strings.Repeat("1", 101), "1." + strings.Repeat("0", 100),
		`"\x"`, `"a"`, `"2000-1-01"`, `"2000-02-30"`, `"2000-13-01"`, `"2000-00-01"`, `"2000-01-00"`, `"2000-01-01 "`, `"2000-01-01T00:00:00"`,
		`"2000-01-01T24:00:00Z"`, `"2000-01-01T00:60:00Z"`, `"2000-01-01T00:00:60Z"`, `"2000-01-01T00:00:00.Z"`, `"2000-01-01T00:00:00.1234567890Z"`,
		`"2000-01-01T00:00:00+24:00"`, `"2000-01-01T00:00:00+00:60"`, `"2000-01-01T00:00:00 01:00"`, `"0000-01-01T00:00:00+00:01"`, `"9999-12-31T23:59:59-00:01"`, `"2000-01-01t00:00:00Z"`, `"2000-01-01T00:00:00z"`,
	} {
		for _, kind := range keyed {
			f := &schema.Field{Key: "f", Type: kind}
			if raw != "" {
				keyOf(t, f, raw)
			}
		}
	}
	for _, f := range []*schema.Field{{Type: schema.TypeMarkdown}, {Type: schema.TypeReference, Multiple: true}, {Type: schema.TypeList}} {
		if key, fits := KeyOf(nil, f, jsontext.Value(`"a"`)); fits || ClassOf(f) != ClassNone {
			t.Errorf("%s is not scalar and has the key %q", f.Type, key)
		}
	}
}

func TestKeysOfRandomInstants(t *testing.T) {
	f := &schema.Field{Type: schema.TypeDatetime}
	instant := rapid.Custom(func(t *rapid.T) string {
		at := time.Unix(rapid.Int64Range(-62135596800, 253402300799-86400).Draw(t, "seconds"), rapid.SampledFrom([]int64{0, 1, 5e8, 999999999}).Draw(t, "nanos"))
		zone := time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "offset"))
		return `"` + at.In(zone).Format(time.RFC3339Nano) + `"`
	})
	testrand.Check(t, func(t *rapid.T) { wantKeysToCompare(t, f, instant.Draw(t, "a"), instant.Draw(t, "b")) })
}

func TestKeysOfRandomNumbers(t *testing.T) {
	f := &schema.Field{Type: schema.TypeNumber}
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,8})?(e[+-]?[0-9]{1,3})?`)
	testrand.Check(t, func(t *rapid.T) {
		if !wantKeysToCompare(t, f, number.Draw(t, "a"), number.Draw(t, "b")) {
			t.Fatalf("a number does not fit")
		}
	})
}

func TestKeyOfDoesNotAllocate(t *testing.T) {
	for kind, raw := range map[schema.FieldType]string{
		schema.TypeText: `"plain text"`, schema.TypeNumber: "-12345.678e9", schema.TypeBoolean: "true", schema.TypeDate: `"2024-02-29"`,
		schema.TypeDatetime: `"2024-02-29T10:00:00.5+01:00"`,
	} {
		f, value, buf := &schema.Field{Type: kind}, jsontext.Value(raw), make([]byte, 0, MaxNumberKey)
		if n := testing.AllocsPerRun(100, func() { KeyOf(buf, f, value) }); n != 0 {
			t.Errorf("%s: %v allocations", kind, n)
		}
	}
}

// FuzzKeys holds keys of any two stored values against the scalars that they are, of every type.
func FuzzKeys(f *testing.F) {
	for _, pair := range [][2]string{
		{"1.50", "15e-1"}, {"-0", "0.00"}, {"-12", "-1.2e1"}, {"1e1000", "9e999"}, {`"a"`, `"a\u0001"`}, {"true", "false"},
		{`"2000-01-01"`, `"2000-01-02"`}, {`"2000-01-01T00:00:00Z"`, `"2000-01-01T01:00:00.0+01:00"`}, {`"ent_01h455vb4pex5vsknk084sn02q"`, `""`},
	} {
		f.Add(byte(0), pair[0], pair[1])
		f.Add(byte(1), pair[0], pair[1])
		f.Add(byte(4), pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, kind byte, a, b string) {
		field := &schema.Field{Key: "f", Type: keyed[int(kind)%len(keyed)]}
		if !jsontext.Value(a).IsValid() || !jsontext.Value(b).IsValid() || a != strings.TrimSpace(a) || b != strings.TrimSpace(b) {
			return
		}
		wantKeysToCompare(t, field, a, b)
	})
}

// TestKeysStayWhatTheyWere pins the encoding: indexes on disk and cursors in hand hold it.
func TestKeysStayWhatTheyWere(t *testing.T) {
	for _, tt := range []struct {
		field     schema.FieldType
		raw, want string // the key in hexadecimal
	}{
		{schema.TypeText, `"a\u0001é"`, "6101c3a9"}, {schema.TypeSlug, `""`, ""}, {schema.TypeDate, `"2024-02-29"`, "323032342d30322d3239"},
		{schema.TypeBoolean, "false", "00"}, {schema.TypeBoolean, "true", "01"},
		{schema.TypeNumber, "0", "02"}, {schema.TypeNumber, "12.5", "0380020d33"}, {schema.TypeNumber, "-12.5", "017ffdf2ccff"}, {schema.TypeNumber, "1e-1000", "037c190b"},
		{schema.TypeDatetime, `"1970-01-01T00:00:01.000000002Z"`, "800000000000000100000002"}, {schema.TypeDatetime, `"1969-12-31T23:59:59Z"`, "7fffffffffffffff00000000"},
	} {
		if got := hex.EncodeToString(keyOf(t, &schema.Field{Key: "f", Type: tt.field}, tt.raw)); got != tt.want {
			t.Errorf("%s %s has the key %s, want %s", tt.field, tt.raw, got, tt.want)
		}
	}
}
