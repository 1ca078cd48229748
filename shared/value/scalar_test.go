package value

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// scalar is what a value means, for comparison with keys.
type scalar struct {
	text   string
	number *apd.Decimal
	time   time.Time
}

// scalarOf reads a stored value of a field, slowly; false where it does not fit.
func scalarOf(f *schema.Field, raw jsontext.Value) (s scalar, fits bool) {
	var err error
	isText := raw.Kind() == '"'
	if isText {
		var text []byte
		if text, fits = schema.Unquote(raw); !fits {
			return s, false
		}
		s.text = string(text)
	}
	switch ClassOf(f) {
	case ClassText:
		return s, isText
	case ClassDate:
		_, err = schema.ParseDate(s.text)
		return s, isText && err == nil
	case ClassDatetime:
		s.time, err = schema.ParseDatetime(s.text)
		s.text = ""
		return s, isText && err == nil
	case ClassNumber:
		s.number, err = schema.ParseNumber(string(raw))
		return s, err == nil
	case ClassBoolean:
		s.text = string(raw) // false comes before true
		return s, s.text == "true" || s.text == "false"
	}
	return s, false
}

func compare(a, b scalar) int {
	if a.number != nil {
		return a.number.Cmp(b.number)
	}
	return cmp.Or(a.time.Compare(b.time), strings.Compare(a.text, b.text))
}

func TestCoerce(t *testing.T) {
	c := collection(t, `"text":{"type":"text"},"number":{"type":"number"},"boolean":{"type":"boolean"},"date":{"type":"date"},"datetime":{"type":"datetime"},"slug":{"type":"slug"},"reference":{"type":"reference","to":"c"},"asset":{"type":"asset"}`)
	for _, tt := range []struct{ key, text, stored string }{ // stored is an equal value; "" where text is refused
		{"text", "", `""`}, {"text", "a b", `"a b"`},
		{"number", "1.50", "15e-1"}, {"number", "9007199254740993", "9007199254740993"}, {"number", "-0", "0"},
		{"number", "abc", ""}, {"number", "", ""}, {"number", "NaN", ""}, {"number", "+1", ""}, {"number", "01", ""}, {"number", "1.", ""}, {"number", ".5", ""}, {"number", "1e1001", ""}, {"number", "Infinity", ""}, {"number", "1_0", ""}, {"number", " 1", ""},
		{"boolean", "true", "true"}, {"boolean", "false", "false"}, {"boolean", "1", ""}, {"boolean", "TRUE", ""},
		{"date", "2024-02-29", `"2024-02-29"`}, {"date", "2023-02-29", ""}, {"date", "2023-2-9", ""}, {"date", "2023-01-01T00:00:00Z", ""},
		{"datetime", "2024-01-01T01:00:00+01:00", `"2024-01-01T00:00:00Z"`}, {"datetime", "2024-01-01T01:00:00 01:00", `"2024-01-01T00:00:00.000Z"`},
		{"datetime", "2024-01-01T00:00:00", ""}, {"datetime", "2024-01-01", ""}, {"datetime", "2024-01-01T1:00:00Z", ""}, {"datetime", "2024-01-01T00:00:00,5Z", ""},
		{"datetime", "2024-01-01T00:00:00+24:00", ""}, {"datetime", "2024-01-01T00:00:00.1234567890Z", ""}, {"datetime", "2024-01-01t00:00:00Z", ""},
		{"slug", "a-b", `"a-b"`}, {"reference", "ent_01h455vb4pex5vsknk084sn02q", `"ent_01h455vb4pex5vsknk084sn02q"`}, {"reference", "ast_01h455vb4pex5vsknk084sn02q", ""}, {"reference", "ent_x", ""},
		{"asset", "ast_01h455vb4pex5vsknk084sn02q", `"ast_01h455vb4pex5vsknk084sn02q"`}, {"asset", "", ""},
	} {
		f := c.Field(tt.key)
		got, fits := Coerce(f, tt.text)
		want, stored := KeyOf(nil, f, jsontext.Value(tt.stored))
		if fits != stored || string(got) != string(want) {
			t.Errorf("%s %q: got %x, %v, want that of %s, %x", tt.key, tt.text, got, fits, tt.stored, want)
		}
	}
}

func TestKeysAreOrdered(t *testing.T) {
	for _, tt := range []struct {
		field  string
		values []string // ascending
	}{
		{`{"type":"text"}`, []string{`""`, `"A"`, `"Z"`, `"a"`, `"a b"`, `"aa"`, `"é"`, `"漢"`, `"�"`, `"🎈"`}},
		{`{"type":"number"}`, []string{"-1e1000", "-9007199254740993", "-9007199254740992", "-0.1", "0", "1e-1000", "0.1", "0.10000000000000000000000001", "9", "10", "9007199254740992", "9007199254740993", "1e1000"}},
		{`{"type":"boolean"}`, []string{"false", "true"}},
		{`{"type":"date"}`, []string{`"0001-01-01"`, `"1999-12-31"`, `"2000-01-01"`, `"9999-12-31"`}},
		{`{"type":"datetime"}`, []string{`"0001-01-01T00:00:00Z"`, `"2000-01-01T00:00:00+01:00"`, `"2000-01-01T00:00:00Z"`, `"2000-01-01T00:00:00.000000001Z"`, `"2000-01-01T00:00:00-01:00"`, `"9999-12-31T00:00:00Z"`}},
	} {
		f := collection(t, `"f":`+tt.field).Field("f")
		for i := range tt.values {
			for j := range tt.values {
				a, fitsA := KeyOf(nil, f, jsontext.Value(tt.values[i]))
				b, fitsB := KeyOf(nil, f, jsontext.Value(tt.values[j]))
				if !fitsA || !fitsB {
					t.Fatal(tt.values[i], tt.values[j])
				}
				if got := bytes.Compare(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
					t.Errorf("%s: comparing %s with %s gives %d", tt.field, tt.values[i], tt.values[j], got)
				}
			}
		}
	}
}

func TestSlugify(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World!": "hello-world", "  --Über  Größe--": "uber-grosse", "It's Ænima": "its-aenima", "北京": "bei-jing",
		"Привет, мир": "privet-mir", "🎈": "", "": "", "C++ & Go 1.26": "c-go-1-26", "e\u0301te\u0301": "ete",
	} {
		if got := Slugify(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	long := ""
	for range 50 {
		long += "word "
	}
	if got := Slugify(long); len(got) > maxDerivedSlug || !schema.IsSlug(got) || got[len(got)-4:] != "word" {
		t.Errorf("a long text gives %q", got)
	}
}

func FuzzSlugify(f *testing.F) {
	f.Add("Größe, 北京!")
	f.Fuzz(func(t *testing.T, text string) {
		if got := Slugify(text); got != "" && !schema.IsSlug(got) {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}

func TestMentions(t *testing.T) {
	const ent, ast = "ent_01h455vb4pex5vsknk084sn0", "ast_01h455vb4pex5vsknk084sn0"
	c := collection(t, `"one":{"type":"reference","to":"c"},"many":{"type":"reference","to":"c","multiple":true,"localized":true},"list":{"type":"list","of":{"type":"reference","to":"c"}},"image":{"type":"asset","allowed":["image/*"]},"o":{"type":"object","fields":{"r":{"type":"reference","to":"c"},"files":{"type":"asset","multiple":true}}},"s":{"type":"blocks","allowed":[{"key":"b","fields":{"r":{"type":"reference","to":"c"}}}]},"prose":{"type":"richText"},"text":{"type":"markdown"},"json":{"type":"json"}`)
	fields := jsontext.Value(`{"one":"` + ent + `01","many":{"de":["` + ent + `02"],"en":["` + ent + `03","bad"]},"list":["` + ent + `04"],"image":"` + ast + `01","o":{"r":"` + ent + `05","files":["` + ast + `02","` + ast + `01"]},` +
		`"s":[{"type":"b","fields":{"r":"` + ent + `06"}}],"prose":{"type":"doc","content":[{"type":"mention","attrs":{"entry":"` + ent + `07"}},{"type":"image","attrs":{"asset":"` + ast + `03"}},{"type":"text","text":"` + ent + `08"}]},` +
		`"text":"see ![](/assets/p/` + ast + `04/x.png) \u001ast_01h455vb4pex5vsknk084sn05","json":{"` + ast + `06":"` + ent + `09"}}`)
	mentions, err := MentionsIn(c, german, fields)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range mentions.References {
		got = append(got, r.Path+" "+string(r.Entry[len(ent):])+" "+r.Collection)
	}
	want := []string{"fields.one 01 c", "fields.many.de[0] 02 c", "fields.many.en[0] 03 c", "fields.list[0] 04 c", "fields.o.r 05 c", "fields.s[0].fields.r 06 c", "fields.prose.content[0].attrs.entry 07 "}
	if !slices.Equal(got, want) {
		t.Errorf("references %q, want %q", got, want)
	}
	uses := mentions.Assets
	got = nil
	for _, u := range uses {
		got = append(got, u.Path+" "+string(u.Asset[len(ast):]))
	}
	want = []string{"fields.image 01", "fields.o.files[0] 02", "fields.o.files[1] 01", "fields.prose.content[1].attrs.asset 03"}
	if !slices.Equal(got, want) {
		t.Errorf("asset uses %q, want %q", got, want)
	}
	if !uses[0].Field.Accepts("image/png; q=1") || uses[0].Field.Accepts("video/mp4") || uses[3].Field != nil {
		t.Error("the fields of asset uses are wrong")
	}
	got = nil
	for _, id := range AssetIDs(fields) {
		got = append(got, string(id[len(ast):]))
	}
	if want := []string{"01", "02", "03", "04", "06"}; !slices.Equal(got, want) {
		t.Errorf("asset ids %q, want %q", got, want)
	}
}
