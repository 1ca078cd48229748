package readtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

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
		`"` + string(Entry(1)) + `"`, `"` + string(Entry(2)) + `"`, `"` + string(Entry(3)) + `"`, `"` + string(Entry(21)) + `"`,
		`"` + string(Entry(22)) + `"`, `"` + string(Entry(23)) + `"`, `"` + string(Entry(24)) + `"`, `"` + string(Entry(99)) + `"`,
	},
	schema.TypeAsset: {`"ast_` + idA + `"`, `"ast_` + idB + `"`},
	schema.TypeSlug:  {`"s1"`, `"s2"`, `"s10"`},
	schema.TypeMarkdown: {`"# alpha\n\n*beta* gamma"`, `"| alpha | beta |\n|--|--|\n| x | gamma |"`, `"[alpha](/beta)"`, `"beta\\\nalpha <b>x</b>"`,
		`"## alpha\n\ntext\n\n### Alpha!\n\n# title"`, `"# \n\n# *beta* & \u0060gamma\u0060\n\n# [É](/x) 1"`, `"# alpha-1"`},
	schema.TypeRichText: {
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"alpha"},{"type":"text","text":" beta"}]},{"type":"paragraph","content":[{"type":"text","text":"gamma"}]}]}`,
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"beta","marks":[{"type":"link","attrs":{"entry":"` + string(Entry(2)) + `"}}]}]}]}`,
	},
	schema.TypeJSON: {`{"alpha":["beta",{"x":"gamma"}]}`, `"alpha beta"`, `["` + string(Entry(1)) + `",7,null]`},
}

// words are what searches look for; some are in the values above.
var words = []string{"alpha", "beta", "gamma", "x", "revision", "Alpha beta", `"alpha beta"`, `"beta gamma"`, "-beta", `-"alpha x"`, "é", "s1", "nothing", "true"}

var longText = strings.Repeat("long ", 60)

// drawFields makes content for a schema from a revision's number.
func drawFields(canonical []byte, revision uint64) string {
	c, err := schema.Parse(canonical)
	if err != nil {
		panic(err)
	}
	return drawObject(rand.New(rand.NewPCG(revision, 7)), c.Fields)
}

// drawObject makes an object: a fifth of the fields are missing, and localized ones have values in some locales, null in others,
// or one plain value.
func drawObject(r *rand.Rand, fields schema.Fields) string {
	var members []string
	for _, f := range fields {
		switch {
		case f.Type == schema.TypeSlug || r.IntN(5) == 0:
		case f.Localized && r.IntN(5) > 0:
			var locales []string
			for _, l := range []string{"de", "en", "fr"} {
				if n := r.IntN(6); n == 0 {
					locales = append(locales, fmt.Sprintf(`%q:null`, l))
				} else if n < 4 {
					locales = append(locales, fmt.Sprintf(`%q:%s`, l, drawContent(r, f)))
				}
			}
			members = append(members, fmt.Sprintf(`%q:{%s}`, f.Key, strings.Join(locales, ",")))
		default:
			members = append(members, fmt.Sprintf(`%q:%s`, f.Key, drawContent(r, f)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// drawContent makes one value of a field: lists, blocks and several ids are up to three.
func drawContent(r *rand.Rand, f *schema.Field) string {
	item := func() string { return pool[f.Type][r.IntN(len(pool[f.Type]))] }
	switch {
	case f.Type == schema.TypeObject:
		return drawObject(r, f.Fields)
	case f.Type == schema.TypeList:
		item = func() string { return drawContent(r, f.Of) }
	case f.Type == schema.TypeBlocks:
		item = func() string {
			b := f.Blocks[r.IntN(len(f.Blocks))]
			return fmt.Sprintf(`{"type":%q,"fields":%s}`, b.Key, drawObject(r, b.Fields))
		}
	case !f.Multiple:
		return item()
	}
	var items []string
	for range r.IntN(4) {
		items = append(items, item())
	}
	return "[" + strings.Join(items, ",") + "]"
}
