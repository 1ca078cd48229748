package validate

import (
	"strings"
	"testing"

	"svc/shared/schema"
	"svc/shared/value"
)

// values are values of one field, and what is found about each: codes at fields.f, or "path code, …" where the fault is
// deeper.
type values map[string]string

func check(t *testing.T, field string, values values) {
	t.Helper()
	c := collection(t, `"f":`+field)
	for in, want := range values {
		if want != "" && !strings.Contains(want, "fields.") {
			want = "fields.f " + want
		}
		_, items := Entry(c, value.Locales{}, []byte(`{"f":`+in+`}`), value.FillRequired)
		if got := codes(items); got != want {
			t.Errorf("%s, %s: got %q, want %q", field, in, got, want)
		}
	}
}

func TestText(t *testing.T) {
	check(t, `{"type":"text","multiline":true}`, values{`"a\nb"`: ""})
	check(t, `{"type":"text"}`, values{`"a\nb"`: "", `true`: "type", `{}`: "type", `"\ud83c\udf88"`: ""})
	check(t, `{"type":"text","minLength":2,"maxLength":3}`, values{`"ab"`: "", `"abc"`: "", `"a"`: "min_length", `"abcd"`: "max_length"})
	// A combining mark is a code point of its own, a character beyond 16 bits is one.
	check(t, `{"type":"text","maxLength":2}`, values{`"e\u0301"`: "", `"e\u0301x"`: "max_length", `"🎈🎈"`: "", `"👩‍🚀"`: "max_length"})
	check(t, `{"type":"text","minLength":1000000000}`, values{`"a"`: "min_length"})
	check(t, `{"type":"text","pattern":"^a|b$"}`, values{`"ax"`: "", `"xb"`: "", `"xa"`: "pattern"})
	check(t, `{"type":"text","pattern":"(?i)^é$"}`, values{`"É"`: "", `"e"`: "pattern"})
	check(t, `{"type":"text","pattern":"^.$"}`, values{`"🎈"`: "", `"\n"`: "pattern", `"ab"`: "pattern"})
	check(t, `{"type":"text","enum":["","a"]}`, values{`""`: "", `"a"`: "", `" "`: "enum", `"a "`: "enum"})
	check(t, `{"type":"text","default":"a","enum":["a"]}`, values{`null`: "", `"b"`: "enum"})
}

func TestNumber(t *testing.T) {
	check(t, `{"type":"number"}`, values{`-0`: "", `1e1000`: "", `true`: "type", `"1"`: "type", `[1]`: "type", strings.Repeat("9", 100): ""})
	check(t, `{"type":"number","integer":true}`, values{`1e3`: "", `1.0`: "", `10e-1`: "", `1e-1`: "integer", `0.0`: "", `123456789012345678901234567890.5`: "integer"})
	check(t, `{"type":"number","min":-1.5,"max":1.5}`, values{`-1.5`: "", `1.50`: "", `-1.500000000000000000000000000001`: "min", `1.500000000000000000000000000001`: "max", `15e-1`: ""})
	check(t, `{"type":"number","max":-1e21}`, values{`-1e21`: "", `-999999999999999999999`: "max", `1`: "max"})
	check(t, `{"type":"number","min":0,"integer":true}`, values{`-0.5`: "fields.f integer, fields.f min"})
}

func TestBoolean(t *testing.T) {
	check(t, `{"type":"boolean"}`, values{`true`: "", `false`: "", `"false"`: "type", `0`: "type", `null`: ""})
	check(t, `{"type":"boolean","required":true}`, values{`false`: "", `null`: "required"})
}

func TestDate(t *testing.T) {
	check(t, `{"type":"date"}`, values{
		`"2000-02-29"`: "", `"1900-02-29"`: "date", `"2024-12-31"`: "", `"2024-12-32"`: "date", `"2024-13-01"`: "date", `"2024-00-01"`: "date",
		`"2024-1-01"`: "date", `"20240101"`: "date", `" 2024-01-01"`: "date", `"2024-01-01Z"`: "date", `""`: "date", `1`: "type", `"9999-12-31"`: "", `"10000-01-01"`: "date",
	})
	check(t, `{"type":"date","min":"2024-02-28","max":"2024-03-01"}`, values{
		`"2024-02-28"`: "", `"2024-02-29"`: "", `"2024-03-01"`: "", `"2024-02-27"`: "min", `"2024-03-02"`: "max",
	})
}

func TestDatetime(t *testing.T) {
	check(t, `{"type":"datetime"}`, values{
		`"2024-01-01T00:00:00Z"`: "", `"2024-01-01T00:00:00+14:00"`: "", `"2024-01-01T23:59:59.999999999-12:00"`: "", `"2024-01-01T00:00:00-00:00"`: "",
		`"2024-01-01T00:00:00"`: "datetime", `"2024-01-01 00:00:00Z"`: "datetime", `"2024-01-01T00:00Z"`: "datetime", `"2024-01-01T00:00:00+0100"`: "datetime",
		`"2024-01-01T00:00:00+24:00"`: "datetime", `"2024-01-01T00:60:00Z"`: "datetime", `"2024-01-01T00:00:00.Z"`: "datetime", `"2024-01-01"`: "datetime", `0`: "type",
		`"2024-01-01T00:00:00.1234567891Z"`: "datetime", `"9999-12-31T23:59:59Z"`: "", `"9999-12-31T23:59:59-00:01"`: "datetime", `"0000-01-01T00:00:00+00:01"`: "datetime",
	})
	check(t, `{"type":"datetime","min":"2024-01-01T00:00:00+01:00","max":"2024-01-01T00:00:00Z"}`, values{
		`"2023-12-31T23:00:00Z"`: "", `"2023-12-31T22:59:59.999999999Z"`: "min", `"2024-01-01T01:00:00+01:00"`: "", `"2024-01-01T01:00:00.000000001+01:00"`: "max",
	})
}

func TestMarkdown(t *testing.T) {
	check(t, `{"type":"markdown","minLength":2,"maxLength":4}`, values{`"é*"`: "", `"****"`: "", `"*"`: "min_length", `"*é*éé"`: "max_length", `1`: "type"})
	check(t, `{"type":"markdown"}`, values{`""`: "", `"<script>"`: "", `null`: ""})
}

func TestJSON(t *testing.T) {
	check(t, `{"type":"json"}`, values{`[]`: "", `{}`: "", `""`: "", `0`: "", `false`: "", `null`: "", strings.Repeat("[", 63) + strings.Repeat("]", 63): ""})
	check(t, `{"type":"json","required":true}`, values{`false`: "", `{}`: "", `null`: "required"})
}

func TestReferencesAndAssets(t *testing.T) {
	for _, tt := range []struct{ field, good, bad, code string }{
		{`{"type":"reference","to":"c"`, entryID, assetID, "reference"}, {`{"type":"asset","allowed":["image/*"]`, assetID, entryID, "asset"},
	} {
		check(t, tt.field+`}`, values{tt.good: "", tt.bad: tt.code, `""`: tt.code, `[` + tt.good + `]`: "type", `{}`: "type", `null`: ""})
		check(t, tt.field+`,"multiple":true}`, values{
			`[` + tt.good + `]`: "", `[]`: "", tt.good: "", tt.bad: tt.code, `[` + tt.good + `,` + tt.bad + `]`: "fields.f[1] " + tt.code,
			`[[` + tt.good + `]]`: "fields.f[0] type", `{}`: "type",
		})
		check(t, tt.field+`,"required":true}`, values{tt.good: "", `null`: "required"})
	}
}

func TestEveryKindOfListItem(t *testing.T) {
	list := func(of string) string { return `{"type":"list","of":` + of + `}` }
	check(t, list(`{"type":"text","minLength":1,"maxLength":2}`), values{`["a","ab"]`: "", `["","abc"]`: "fields.f[0] min_length, fields.f[1] max_length"})
	check(t, list(`{"type":"text","pattern":"^a","enum":["a","b"]}`), values{`["a"]`: "", `["b","c"]`: "fields.f[0] pattern, fields.f[1] pattern, fields.f[1] enum"})
	check(t, list(`{"type":"number","integer":true,"min":1,"max":2}`), values{`[1,2]`: "", `[0,3,1.5,"1"]`: "fields.f[0] min, fields.f[1] max, fields.f[2] integer, fields.f[3] type"})
	check(t, list(`{"type":"boolean"}`), values{`[true,false]`: "", `[1]`: "fields.f[0] type"})
	check(t, list(`{"type":"date","min":"2024-01-02","max":"2024-01-03"}`), values{`["2024-01-02","2024-01-03"]`: "", `["2024-01-01","2024-01-04","x"]`: "fields.f[0] min, fields.f[1] max, fields.f[2] date"})
	check(t, list(`{"type":"datetime","min":"2024-01-01T00:00:00Z","max":"2024-01-02T00:00:00Z"}`), values{
		`["2024-01-01T00:00:00Z","2024-01-02T00:00:00Z"]`: "", `["2023-12-31T23:59:59Z","2024-01-02T00:00:01Z","2024-01-01"]`: "fields.f[0] min, fields.f[1] max, fields.f[2] datetime"})
	check(t, list(`{"type":"markdown","minLength":1,"maxLength":2}`), values{`["a","ab"]`: "", `["","abc"]`: "fields.f[0] min_length, fields.f[1] max_length"})
	check(t, list(`{"type":"json"}`), values{`[null,1,[],{"a":1}]`: "", `{}`: "type"})
	check(t, list(`{"type":"reference","to":"c"}`), values{`[` + entryID + `]`: "", `[` + assetID + `,null]`: "fields.f[0] reference, fields.f[1] type"})
	check(t, list(`{"type":"asset"}`), values{`[` + assetID + `]`: "", `[` + entryID + `]`: "fields.f[0] asset"})
	check(t, list(`{"type":"object","fields":{"a":{"type":"text","required":true}}}`), values{`[{"a":""}]`: "", `[{},"x",null,{"a":null}]`: "fields.f[0].a required, fields.f[1] type, fields.f[2] type, fields.f[3].a required"})
	check(t, `{"type":"list","of":{"type":"json"},"minItems":2,"maxItems":3}`, values{`[1,2]`: "", `[1,2,3]`: "", `[1]`: "min_items", `[1,2,3,4]`: "max_items"})
}

// What is said for editors and readers of the schema alone makes no value better or worse.
func TestHintsForEditorsNeverDecide(t *testing.T) {
	hints := `"label":"L","description":"D","ui":{"widget":"w","placeholder":"p","helpText":"h","group":"g","hidden":true}`
	for _, tt := range []struct{ options, good, bad string }{
		{`"type":"text","maxLength":1`, `"a"`, `"ab"`}, {`"type":"number","min":1`, `1`, `0`}, {`"type":"boolean"`, `true`, `1`},
		{`"type":"date"`, `"2024-01-01"`, `"x"`}, {`"type":"datetime"`, `"2024-01-01T00:00:00Z"`, `"x"`}, {`"type":"markdown","minLength":1`, `"a"`, `""`},
		{`"type":"json"`, `{}`, ``}, {`"type":"asset"`, assetID, `1`}, {`"type":"reference","to":"c"`, entryID, `1`}, {`"type":"slug"`, `"a"`, `"-"`},
		{`"type":"list","of":{"type":"text"}`, `["a"]`, `[1]`}, {`"type":"object","fields":{}`, `{}`, `1`},
		{`"type":"richText"`, `{"type":"doc","content":[]}`, `{}`}, {`"type":"blocks","allowed":[{"key":"b","fields":{}}]`, `[{"type":"b"}]`, `[1]`},
	} {
		plain, hinted := collection(t, `"f":{`+tt.options+`}`), collection(t, `"f":{`+tt.options+`,`+hints+`}`)
		if ui := hinted.Field("f").UI; ui == nil || *ui != (schema.UI{Widget: "w", Placeholder: "p", HelpText: "h", Group: "g", Hidden: true}) {
			t.Errorf("%s: hints are read as %+v", tt.options, ui)
		}
		for in, fits := range map[string]bool{tt.good: true, tt.bad: false} {
			if in == "" {
				continue
			}
			storedPlain, without := Entry(plain, value.Locales{}, []byte(`{"f":`+in+`}`), value.FillRequired)
			storedHinted, with := Entry(hinted, value.Locales{}, []byte(`{"f":`+in+`}`), value.FillRequired)
			if codes(with) != codes(without) || string(storedPlain) != string(storedHinted) || fits != (len(with) == 0) {
				t.Errorf("%s, %s: found %q with hints, %q without", tt.options, in, codes(with), codes(without))
			}
		}
	}
}
