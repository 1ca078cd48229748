package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

const boundSchema = `{"name":"posts","fields":{"title":{"type":"text","localized":true},"slug":{"type":"slug"},"rating":{"type":"number"},"draft":{"type":"boolean"},"day":{"type":"date"},"at":{"type":"datetime"},"author":{"type":"reference","to":"people"},"cover":{"type":"asset"},"others":{"type":"reference","to":"people","multiple":true},"body":{"type":"markdown"},"tags":{"type":"list","of":{"type":"text"}},"seo":{"type":"object","fields":{"title":{"type":"text"}}}}}`

func testSchema(t testing.TB) *schema.Collection {
	t.Helper()
	c, err := schema.Parse([]byte(boundSchema))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var bilingual = value.Locales{Codes: []string{"en", "de"}, Default: "en"}

// bind parses and binds a query string.
func bind(c *schema.Collection, locale, raw string) (Conditions, Order, error) {
	q, err := Parse(RouteList, raw)
	if err != nil {
		return Conditions{}, Order{}, err
	}
	return Bind(c, bilingual, locale, q.Filters, q.Order)
}

func TestFiltersAndOrdersThatAreRefused(t *testing.T) {
	c := testSchema(t)
	const entry, asset = "ent_01h455vb4pex5vsknk084sn02q", "ast_01h455vb4pex5vsknk084sn02q"
	for _, tt := range []struct {
		raw  string
		path string
		says string
	}{
		{"filter[nothing]=1", "filter[nothing]", `the collection has no field "nothing"; lists of "posts" are filtered by title, slug, rating, draft, day, at, author, cover`},
		{"filter[title.en]=1", "filter[title.en]", "no field"},
		{"filter[seo.title]=1", "filter[seo.title]", "no field"},
		{"filter[id]=" + entry, "filter[id]", "no field"},
		{"filter[body]=x", "filter[body]", "is of type markdown"},
		{"filter[tags][in]=x", "filter[tags][in]", "is of type list"},
		{"filter[seo][exists]=true", "filter[seo][exists]", "is of type object"},
		{"filter[others]=" + entry, "filter[others]", "holds several values"},
		{"filter[rating]=abc", "filter[rating]", `the field "rating" takes a number such as 12.5, not "abc"`},
		{"filter[rating]=three", "filter[rating]", `the field "rating" takes a number such as 12.5, not "three"`},
		{"filter[rating][in]=2,twelve", "filter[rating][in]", `not "twelve"`},
		{"filter[rating][gt]=NaN", "filter[rating][gt]", "a number"},
		{"filter[rating]=" + strings.Repeat("1", 101), "filter[rating]", "at most 100 digits"},
		{"filter[rating]=1e9999", "filter[rating]", "exponent"},
		{"filter[rating]=" + strings.Repeat("x", 9000), "filter[rating]", `not "` + strings.Repeat("x", 64) + `…"`},
		{"filter[rating][in]=1,,2", "filter[rating][in]", "a number"},
		{"filter[rating][in]=1,x", "filter[rating][in]", `not "x"`},
		{"filter[draft]=yes", "filter[draft]", "true or false"},
		{"filter[draft]=TRUE", "filter[draft]", "true or false"},
		{"filter[day]=2026-02-30", "filter[day]", "a date of the calendar"},
		{"filter[day]=2026-02-03T00:00:00Z", "filter[day]", "a date of the calendar"},
		{"filter[at]=2026-02-03", "filter[at]", "a datetime with an offset"},
		{"filter[at]=0000-01-01T00:00:00%2B01:00", "filter[at]", "0000 to 9999"},
		{"filter[author]=" + asset, "filter[author]", "ent_"},
		{"filter[cover]=" + entry, "filter[cover]", "ast_"},
		{"filter[title][exists]=1", "filter[title][exists]", "true or false"},
		{"filter[title][in]=" + strings.Repeat("a,", 100) + "a", "filter[title][in]", "at most 100 values, not 101"},
		{`filter[title][in]=` + strings.Repeat(`\,,`, 100) + "a", "filter[title][in]", "at most 100 values, not 101"},
		{`filter[title][in]=a\`, "filter[title][in]", "backslash"},
		{`filter[title][in]=a\b`, "filter[title][in]", "backslash"},
		{"order=nothing", "order", `no field "nothing"; lists of "posts" are ordered by one of title, slug, rating, draft, day, at, after a minus`},
		{"order=author", "order", "is of type reference"},
		{"order=-cover", "order", "is of type asset"},
		{"order=body", "order", "is of type markdown"},
		{"order=title,rating", "order", `a list is ordered by one field, not by "title,rating"`},
		{"order=-title,-rating", "order", `not by "-title,-rating"`},
		{"order=title,", "order", "by one field"},
		{"order=" + strings.Repeat("x,", 9000), "order", strings.Repeat("x,", 32) + "…"},
		{"order=--title", "order", `"-title"`},
		{"order=+title", "order", `" title"`},
		{"order=" + strings.Repeat("x", 9000), "order", strings.Repeat("x", 64) + "…"},
		{"filter[" + strings.Repeat("x", 9000) + "]=1", "filter[" + strings.Repeat("x", 57) + "…", "no field"},
	} {
		_, _, err := bind(c, "", tt.raw)
		if !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("%.80s was taken: %v", tt.raw, err)
			continue
		}
		items := fault.As(err).Items
		if len(items) != 1 || items[0].Path != tt.path || !strings.Contains(items[0].Message, tt.says) || len(items[0].Message) > 400 {
			t.Errorf("%.80s: %+v, want %s: …%s…", tt.raw, items, tt.path, tt.says)
		}
	}
}

func TestAllFaultsOfFiltersAndOrderAreListed(t *testing.T) {
	_, _, err := bind(testSchema(t), "", "filter[a]=1&filter[rating]=x&filter[title]=ok&order=b")
	var paths []string
	for _, item := range fault.As(err).Items {
		paths = append(paths, item.Path)
	}
	if want := []string{"filter[a]", "filter[rating]", "order"}; !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
	wide := strings.Builder{}
	for i := range 60 {
		fmt.Fprintf(&wide, `,"f%d":{"type":"text"}`, i)
	}
	c, err := schema.Parse([]byte(`{"name":"wide","fields":{` + wide.String()[1:] + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = bind(c, "", manyFilters(20)+"&filter[x]=1")
	if items := fault.As(err).Items; len(items) != 1 || strings.Count(items[0].Message, ", f") != 19 || !strings.Contains(items[0].Message, "f19, others") {
		t.Errorf("of 60 fields the message names %v", items)
	}
}

func TestTextsTellFiltersAndOrdersApart(t *testing.T) {
	c := testSchema(t)
	seen := map[string]string{}
	for _, same := range [][]string{
		{""}, {"filter[rating]=1", "filter[rating]=1.0", "filter[rating]=10e-1"}, {"filter[rating][in]=1", "filter[rating][in]=1,1.0"},
		{"filter[rating][in]=1,2", "filter[rating][in]=2,1,2.0"}, {"filter[rating][gt]=1"}, {"filter[rating]=2"}, {"filter[title]=1"}, {"filter[slug]=1"},
		{"filter[rating][exists]=true"}, {"filter[rating][exists]=false"},
		{"filter[rating]=1&filter[title]=x", "filter[title]=x&filter[rating]=1"}, {"filter[title][in]=x,y"}, {`filter[title][in]=x\,y`},
		{"filter[at]=2026-02-28T10:00:00Z", "filter[at]=2026-02-28T11:00:00%2B01:00", "filter[at]=2026-02-28T10:00:00.000Z"},
	} {
		var text string
		for i, raw := range same {
			conditions, _, err := bind(c, "", raw)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && conditions.Text() != text {
				t.Errorf("%s and %s have different texts", raw, same[0])
			}
			text = conditions.Text()
		}
		if other, found := seen[text]; found {
			t.Errorf("%s and %s have the same text", other, same[0])
		}
		seen[text] = same[0]
	}
	orders := map[string]bool{}
	for _, raw := range []string{"", "order=title", "order=-title", "order=slug", "order=rating"} {
		_, order, err := bind(c, "", raw)
		if err != nil || orders[order.Text()] {
			t.Errorf("%s: the text %q is there before, %v", raw, order.Text(), err)
		}
		orders[order.Text()] = true
	}
	retyped, err := schema.Parse([]byte(`{"name":"posts","fields":{"rating":{"type":"text"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{"filter[rating]=1", "order=rating", "filter[rating][exists]=true"} {
		a, x, err := bind(c, "", raw)
		if err != nil {
			t.Fatal(err)
		}
		b, y, err := bind(retyped, "", raw)
		if err != nil || a.Text()+x.Text() == b.Text()+y.Text() {
			t.Errorf("%s means the same for a number and for a text, %v", raw, err)
		}
	}
}
