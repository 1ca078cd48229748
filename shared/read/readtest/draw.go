package readtest

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"svc/shared/query"
	"svc/shared/schema"
)

// pool are the values of a type that are drawn from, as JSON: few, so that many are equal, and some in two forms.
var pool = map[schema.FieldType][]string{
	schema.TypeText:     {`""`, `"alpha"`, `"Beta"`, `"beta"`, `"a, \"b\" \\ c"`, `"é"`, `"1"`, `"true"`, `"` + longText + `"`, `"` + longText + `a"`, `"` + longText + `b"`},
	schema.TypeNumber:   {"1", "1.0", "10e-1", "2", "10", "-1", "-1.50", "0", "0.001", "9007199254740993", "9007199254740992"},
	schema.TypeBoolean:  {"true", "false"},
	schema.TypeDate:     {`"2024-02-29"`, `"2023-12-31"`, `"0001-01-01"`},
	schema.TypeDatetime: {`"2024-02-29T10:00:00Z"`, `"2024-02-29T11:00:00.000+01:00"`, `"2024-02-29T10:00:00.001Z"`, `"1969-07-20T20:17:40Z"`},
	schema.TypeReference: {
		`"` + string(Entry(1)) + `"`, `"` + string(Entry(2)) + `"`, `"` + string(Entry(99)) + `"`,
	},
	schema.TypeAsset:    {`"ast_` + idA + `"`, `"ast_` + idB + `"`},
	schema.TypeSlug:     {`"s1"`, `"s2"`, `"s10"`},
	schema.TypeMarkdown: {`"# alpha\n\n*beta* gamma"`, `"| alpha | beta |\n|--|--|\n| x | gamma |"`, `"[alpha](/beta)"`, `"beta\\\nalpha <b>x</b>"`},
	schema.TypeRichText: {
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"alpha"},{"type":"text","text":" beta"}]},{"type":"paragraph","content":[{"type":"text","text":"gamma"}]}]}`,
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"beta","marks":[{"type":"link","attrs":{"entry":"` + string(Entry(2)) + `"}}]}]}]}`,
	},
	schema.TypeJSON:   {`{"alpha":["beta",{"x":"gamma"}]}`, `"alpha beta"`, `["` + string(Entry(1)) + `",7,null]`},
	schema.TypeList:   {`["alpha beta","x"]`, `[]`, `["gamma"]`},
	schema.TypeBlocks: {`[{"type":"one","fields":{"x":"alpha *beta*","to":"` + string(Entry(1)) + `"}}]`, `[{"type":"one","fields":{}},{"type":"one","fields":{"x":"gamma"}}]`},
}

// words are what searches look for; some are in the values above.
var words = []string{"alpha", "beta", "gamma", "x", "revision", "Alpha beta", `"alpha beta"`, `"beta gamma"`, "-beta", `-"alpha x"`, "é", "s1", "nothing", "true"}

var longText = strings.Repeat("long ", 60)

// drawFields makes content for a schema from a revision's number: a fifth of the fields are missing, and localized ones have
// values in some locales, null in others, or one plain value.
func drawFields(canonical []byte, revision uint64) string {
	c, err := schema.Parse(canonical)
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(revision, 7))
	var members []string
	for _, f := range c.Fields {
		values := pool[f.Type]
		draw := func() string { return values[r.IntN(len(values))] }
		switch {
		case f.Type == schema.TypeSlug || r.IntN(5) == 0:
		case f.Multiple:
			members = append(members, fmt.Sprintf(`%q:[%s]`, f.Key, draw()))
		case f.Localized && r.IntN(5) > 0:
			var locales []string
			for _, l := range []string{"de", "en", "fr"} {
				if n := r.IntN(6); n == 0 {
					locales = append(locales, fmt.Sprintf(`%q:null`, l))
				} else if n < 4 {
					locales = append(locales, fmt.Sprintf(`%q:%s`, l, draw()))
				}
			}
			members = append(members, fmt.Sprintf(`%q:{%s}`, f.Key, strings.Join(locales, ",")))
		default:
			members = append(members, fmt.Sprintf(`%q:%s`, f.Key, draw()))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// DrawQuery makes a query string with filters, a search, an order, includes, a representation and a locale for a collection as it is declared at some release, nil
// where it is not. Most are right; a few name what is not there.
func DrawQuery(r *rand.Rand, c *schema.Collection, locales []string) string {
	var parts []string
	if len(locales) > 0 && r.IntN(3) > 0 {
		parts = append(parts, "locale="+locales[r.IntN(len(locales))])
	}
	if c == nil {
		c = &schema.Collection{}
	}
	seen := map[string]bool{}
	for range r.IntN(4) {
		f := query.Filter{Field: "title", Op: query.Ops()[r.IntN(len(query.Ops()))]}
		kind := schema.TypeText
		if len(c.Fields) > 0 && r.IntN(20) > 0 {
			field := c.Fields[r.IntN(len(c.Fields))]
			f.Field, kind = field.Key, field.Type
		}
		if name := f.Name(); !seen[name] {
			seen[name] = true
			parts = append(parts, name+"="+url.QueryEscape(drawValue(r, kind, f.Op)))
		}
	}
	parts = append(parts, drawShape(r, c)...)
	if r.IntN(3) == 0 {
		q := words[r.IntN(len(words))]
		if r.IntN(2) == 0 {
			q += " " + words[r.IntN(len(words))]
		}
		parts = append(parts, "q="+url.QueryEscape(q))
	}
	if len(c.Fields) > 0 && r.IntN(3) > 0 {
		direction := []string{"", "-"}[r.IntN(2)]
		parts = append(parts, "order="+direction+c.Fields[r.IntN(len(c.Fields))].Key)
	}
	return strings.Join(parts, "&")
}

// drawShape are parameters that say how entries are returned.
func drawShape(r *rand.Rand, c *schema.Collection) (parts []string) {
	if r.IntN(4) == 0 {
		parts = append(parts, "representation=rendered")
	}
	var references []string
	for _, f := range c.Fields {
		if f.Type == schema.TypeReference && r.IntN(3) > 0 || r.IntN(60) == 0 {
			references = append(references, f.Key)
		}
	}
	if len(references) > 0 {
		parts = append(parts, "include="+strings.Join(references, ","))
	}
	return parts
}

// drawValue is the value of a filter.
func drawValue(r *rand.Rand, kind schema.FieldType, op query.Op) string {
	if op == query.OpExists {
		return []string{"true", "false"}[r.IntN(2)]
	}
	values := pool[kind]
	if values == nil {
		return "nothing"
	}
	n := 1
	if op == query.OpIn {
		n = 1 + r.IntN(3)
	}
	var texts []string
	for range n {
		text := strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.Trim(values[r.IntN(len(values))], `"`))
		if strings.HasSuffix(text, `\`) || text == "" {
			text = "alpha"
		}
		if op == query.OpIn {
			text = strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(text)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ",")
}
