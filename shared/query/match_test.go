package query

import (
	"strings"
	"testing"
)

// TestWhatConditionsMatch goes through every operator on every type with values that are there, equal in another form, null,
// absent and of another type. Stores are held to the same in package readtest.
func TestWhatConditionsMatch(t *testing.T) {
	c := testSchema(t)
	for _, tt := range []struct {
		raw, fields string
		want        bool
	}{
		{"filter[rating]=1.50", `{"rating":15e-1}`, true},
		{"filter[rating][ne]=1.50", `{"rating":15e-1}`, false},
		{"filter[rating][ne]=1", `{}`, true},
		{"filter[rating][ne]=1", `{"rating":null}`, true},
		{"filter[rating][ne]=1", `{"rating":"1"}`, true},
		{"filter[rating]=1", `{"rating":"1"}`, false},
		{"filter[rating][lt]=1", `{}`, false},
		{"filter[rating][lt]=-9007199254740992", `{"rating":-9007199254740993}`, true},
		{"filter[rating][in]=1,2,2,1.0", `{"rating":2.0}`, true},
		{"filter[rating][in]=1,2", `{"rating":3}`, false},
		{"filter[rating][exists]=true", `{"rating":0}`, true},
		{"filter[rating][exists]=true", `{"rating":null}`, false},
		{"filter[rating][exists]=false", `{"rating":null}`, true},
		{"filter[rating][exists]=false", `{"rating":[1]}`, true},
		{"filter[draft]=false", `{"draft":false}`, true},
		{"filter[draft][gt]=false", `{"draft":true}`, true},
		{"filter[draft][lte]=false", `{"draft":true}`, false},
		{"filter[day][gte]=2026-02-28", `{"day":"2026-02-28"}`, true},
		{"filter[at]=2026-02-28T10:00:00+01:00", `{"at":"2026-02-28T09:00:00.000Z"}`, true},
		{"filter[at][lt]=2026-02-28T10:00:00Z", `{"at":"2026-02-28T10:30:00+01:00"}`, true},
		{"filter[author]=ent_01h455vb4pex5vsknk084sn02q", `{"author":"ent_01h455vb4pex5vsknk084sn02q"}`, true},
		{"filter[slug]=a", `{"slug":"A"}`, false},
		{"filter[title]=a", `{"title":"a"}`, true}, // from before it was localized
		{"filter[title]=a", `{"title":{"de":"a","en":"b"}}`, false},
		{"filter[title]=b", `{"title":{"de":"a","en":"b"}}`, true},
		{"filter[title][exists]=true", `{"title":{"de":"a"}}`, false},
		{"filter[title][gt]=a", `{"title":{"en":"a\u0001"}}`, true},
		{`filter[title][in]=a\,b,\\`, `{"title":"a,b"}`, true},
		{`filter[title][in]=a\,b,\\`, `{"title":"\\"}`, true},
		{`filter[title][in]=a\,b,\\`, `{"title":"a"}`, false},
		{`filter[title][in]=x,`, `{"title":""}`, true},
		{"filter[rating][gt]=1&filter[rating][lt]=3&filter[draft]=true", `{"draft":true,"rating":2}`, true},
		{"filter[rating][gt]=1&filter[rating][lt]=3&filter[draft]=true", `{"draft":true,"rating":3}`, false},
		{"filter[rating][gt]=1&filter[rating][lt]=3&filter[draft]=true", `{"rating":2}`, false},
		{"", `{}`, true},
	} {
		conditions, _, err := bind(c, "", tt.raw)
		if err != nil {
			t.Errorf("%s: %v", tt.raw, err)
			continue
		}
		if got, err := conditions.Match([]byte(tt.fields)); err != nil || got != tt.want {
			t.Errorf("%s on %s: %v, %v", tt.raw, tt.fields, got, err)
		}
	}
}

func TestMatchReadsInTheLocale(t *testing.T) {
	c := testSchema(t)
	for _, tt := range []struct {
		locale, fields, title string // empty: none
	}{
		{"", `{"title":{"de":"a","en":"b"}}`, "b"}, {"en", `{"title":{"de":"a","en":"b"}}`, "b"}, {"de", `{"title":{"de":"a","en":"b"}}`, "a"},
		{"de", `{"title":{"en":"b"}}`, "b"}, {"de", `{"title":{"de":null,"en":"b"}}`, "b"}, {"en", `{"title":{"de":"a"}}`, ""}, {"de", `{"title":{"fr":"a"}}`, ""},
		{"de", `{"title":"a"}`, "a"}, {"de", `{"title":{"de":1,"en":"b"}}`, ""},
	} {
		for raw, want := range map[string]bool{
			"filter[title]=a": tt.title == "a", "filter[title]=b": tt.title == "b", "filter[title][exists]=true": tt.title != "",
			"filter[title][ne]=a": tt.title != "a", "filter[title][lt]=b": tt.title == "a",
		} {
			conditions, order, err := bind(c, tt.locale, raw+"&order=title")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := conditions.Match([]byte(tt.fields)); err != nil || got != want {
				t.Errorf("%s in %q on %s: %v, %v", raw, tt.locale, tt.fields, got, err)
			}
			if key, missing, err := order.Key(nil, []byte(tt.fields)); err != nil || missing != (tt.title == "") || string(key) != tt.title {
				t.Errorf("the order of %s in %q: %q, %v, %v", tt.fields, tt.locale, key, missing, err)
			}
		}
	}
}

func TestDamagedFieldsAreAnError(t *testing.T) {
	conditions, order, err := bind(testSchema(t), "", "filter[rating]=1&order=rating")
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range []string{"", "[]", `{"rating"}`, `{"rating":1`} {
		if _, err := conditions.Match([]byte(fields)); err == nil {
			t.Errorf("%q is matched", fields)
		}
		if _, _, err := order.Key(nil, []byte(fields)); err == nil && fields != "" && fields != "[]" {
			t.Errorf("%q has a key", fields)
		}
	}
}

func TestMatchAndKeyDoNotAllocate(t *testing.T) {
	conditions, order, err := bind(testSchema(t), "de", "filter[title][ne]=a&filter[rating][gte]=-3&filter[rating][lt]=100&filter[draft]=true&filter[at][gt]=2000-01-01T00:00:00Z&filter[day][exists]=true&order=-title")
	if err != nil {
		t.Fatal(err)
	}
	fields := []byte(`{"title":{"de":"Hallo","en":"Hello"},"slug":"x","rating":12.5,"draft":true,"day":"2024-01-01","at":"2024-01-01T00:00:00Z"}`)
	if in, err := conditions.Match(fields); !in || err != nil {
		t.Fatal(in, err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = conditions.Match(fields) }); n != 0 {
		t.Errorf("a match makes %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { _, _, _ = order.Key(nil, fields) }); n != 0 {
		t.Errorf("a key makes %v allocations", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	conditions, _, err := bind(testSchema(b), "de", "filter[title][ne]=a&filter[rating][gte]=-3&filter[draft]=true")
	if err != nil {
		b.Fatal(err)
	}
	fields := []byte(`{"title":{"de":"Hallo","en":"Hello"},"slug":"x","rating":12.5,"draft":true,"day":"2024-01-01","body":"` + strings.Repeat("text ", 400) + `"}`)
	b.ReportAllocs()
	for b.Loop() {
		if in, err := conditions.Match(fields); !in || err != nil {
			b.Fatal(in, err)
		}
	}
}
