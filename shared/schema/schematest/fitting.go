package schematest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/shared/content"
	"svc/shared/schema"
)

// Entry makes field values that fit a collection in a project with these locales, the first being the default;
// required fields without a default are there, others maybe. Members come in any order.
func Entry(t *rapid.T, c *schema.Collection, locales []string) jsontext.Value {
	return fields(t, c.Fields, locales)
}

func fields(t *rapid.T, fields schema.Fields, locales []string) jsontext.Value {
	var members []string
	for _, f := range fields {
		if (!f.Required || f.Default != nil) && rapid.Bool().Draw(t, "leave out") {
			continue
		}
		value := string(Fitting(t, f))
		if f.Localized && len(locales) > 0 {
			value = localized(t, f, locales)
		}
		members = append(members, fmt.Sprintf("%q: %s", f.Key, value))
	}
	if len(members) > 1 {
		members = rapid.Permutation(members).Draw(t, "members")
	}
	return jsontext.Value("{ " + strings.Join(members, " , ") + " }")
}

func localized(t *rapid.T, f *schema.Field, locales []string) string {
	members := []string{fmt.Sprintf("%q:%s", locales[0], Fitting(t, f))}
	for _, code := range locales[1:] {
		if rapid.Bool().Draw(t, "translated") {
			members = append(members, fmt.Sprintf("%q:%s", code, Fitting(t, f)))
		}
	}
	return "{" + strings.Join(rapid.Permutation(members).Draw(t, "locales"), ",") + "}"
}

// Fitting makes a value that fits a field, in one locale.
func Fitting(t *rapid.T, f *schema.Field) jsontext.Value {
	switch f.Type {
	case schema.TypeText, schema.TypeMarkdown:
		return quote(fittingText(t, f))
	case schema.TypeNumber:
		return jsontext.Value(fittingNumber(t, f))
	case schema.TypeBoolean:
		return jsontext.Value(strconv.FormatBool(rapid.Bool().Draw(t, "boolean")))
	case schema.TypeDate, schema.TypeDatetime:
		return quote(fittingTime(t, f))
	case schema.TypeJSON:
		return jsontext.Value(rapid.SampledFrom([]string{`1.50`, `"x"`, `[null, 1]`, `{"b":1,"a":{}}`}).Draw(t, "json"))
	case schema.TypeReference:
		return several(t, f, func() string { return string(content.NewID[content.EntryID]()) })
	case schema.TypeAsset:
		return several(t, f, func() string { return string(content.NewID[content.AssetID]()) })
	case schema.TypeSlug:
		return quote(rapid.StringMatching(`[a-z0-9]{1,5}(-[a-z0-9]{1,5}){0,3}`).Draw(t, "slug"))
	case schema.TypeList:
		return array(t, f, func() jsontext.Value { return Fitting(t, f.Of) })
	case schema.TypeObject:
		return fields(t, f.Fields, nil)
	case schema.TypeRichText:
		return jsontext.Value(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"bold"}]}]}]}`)
	case schema.TypeBlocks:
		return array(t, f, func() jsontext.Value {
			b := rapid.SampledFrom(f.Blocks).Draw(t, "block")
			return jsontext.Value(fmt.Sprintf(`{"fields":%s,"type":%q}`, fields(t, b.Fields, nil), b.Key))
		})
	}
	panic("schematest: no values of type " + string(f.Type))
}

func fittingText(t *rapid.T, f *schema.Field) string {
	switch {
	case f.Enum != nil:
		return rapid.SampledFrom(f.Enum).Draw(t, "member")
	case f.Pattern != "":
		return rapid.StringMatching(f.Pattern).Draw(t, "match")
	}
	low, high := between(f.MinLength, f.MaxLength, 12)
	text := rapid.StringOfN(rapid.RuneFrom([]rune("aé漢🎈\"\\\n <"), nil...), low, high, -1)
	return text.Draw(t, "text")
}

func fittingNumber(t *rapid.T, f *schema.Field) string {
	low, high := -1_000_000, 1_000_000
	if f.Min != "" {
		low, _ = strconv.Atoi(f.Min)
	}
	if f.Max != "" {
		high, _ = strconv.Atoi(f.Max)
	}
	n := strconv.Itoa(rapid.IntRange(low, high).Draw(t, "number"))
	forms := []string{n, n + ".0", n + "e0"}
	if !f.Integer && f.Max == "" {
		forms = append(forms, strings.TrimPrefix(n, "-")+".123456789012345678901")
	}
	return rapid.SampledFrom(forms).Draw(t, "form")
}

func fittingTime(t *rapid.T, f *schema.Field) string {
	layout := time.DateOnly
	if f.Type == schema.TypeDatetime {
		layout = time.RFC3339
	}
	at := func(bound string, day int) time.Time {
		if parsed, err := time.Parse(layout, bound); err == nil {
			return parsed
		}
		return time.Date(2020, 1, day, 12, 0, 0, 0, time.UTC)
	}
	low, high := at(f.Min, 1), at(f.Max, 28)
	days := int(high.Sub(low).Hours() / 24)
	zone := rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 5*3600+1800)}).Draw(t, "zone")
	day := low.AddDate(0, 0, rapid.IntRange(0, days).Draw(t, "day"))
	if f.Type == schema.TypeDatetime {
		day = day.In(zone)
	}
	return day.Format(layout)
}

func several(t *rapid.T, f *schema.Field, id func() string) jsontext.Value {
	if !f.Multiple {
		return quote(id())
	}
	ids := make([]string, rapid.IntRange(0, 3).Draw(t, "ids"))
	for i := range ids {
		ids[i] = strconv.Quote(id())
	}
	return jsontext.Value("[" + strings.Join(ids, ",") + "]")
}

func array(t *rapid.T, f *schema.Field, item func() jsontext.Value) jsontext.Value {
	low, high := between(f.MinItems, f.MaxItems, 4)
	items := make([]string, rapid.IntRange(low, high).Draw(t, "items"))
	for i := range items {
		items[i] = string(item())
	}
	return jsontext.Value("[" + strings.Join(items, ", ") + "]")
}

func between(low, high *int, most int) (int, int) {
	from, to := 0, most
	if low != nil {
		from = *low
	}
	if high != nil {
		to = *high
	}
	return from, max(from, to)
}

func quote(s string) jsontext.Value {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err) // the generators make valid UTF-8
	}
	return quoted
}
