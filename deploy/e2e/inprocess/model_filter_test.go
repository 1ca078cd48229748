package inprocess

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/query"
)

// conditions draws filters and an order for a list at a release, or at the head for 0: by fields that the collection has or had,
// and with values that it has then, as far as there are any. A few are refused.
func (c *comparison) conditions(f *form, pin uint64) string {
	if pin == 0 {
		pin = uint64(len(c.then)) - 1
	}
	values := url.Values{}
	for range c.random.IntN(3) {
		filter := query.Filter{Field: c.fieldOf(f), Op: pick(c.play, query.Ops())}
		values.Set(filter.Name(), c.valueFor(f, filter, pin))
	}
	if len(values) == 0 || c.random.IntN(2) == 0 {
		values.Set("order", pick(c.play, []string{"", "-"})+c.fieldOf(f))
	}
	return "&" + values.Encode()
}

func (c *comparison) fieldOf(f *form) string {
	keys := slices.DeleteFunc(f.keys(), func(key string) bool { return key == fieldBody && c.random.IntN(8) > 0 })
	if f.slugs {
		keys = append(keys, "slug")
	}
	if c.random.IntN(8) == 0 {
		keys = append(keys, f.removed...)
	}
	return pick(c.play, keys)
}

// valueFor is the text of a filter.
func (c *comparison) valueFor(f *form, filter query.Filter, pin uint64) string {
	if filter.Op == query.OpExists {
		return pick(c.play, []string{"true", "false"})
	}
	known := []string{"1"}
	for _, id := range c.born {
		if doc := c.then[pin][id]; doc != nil && doc.collection == f.name {
			if text := c.textOf(doc, filter.Field); text != "" && len(text) < 200 {
				known = append(known, text)
			}
		}
	}
	known = known[min(1, len(known)-1):]
	if filter.Op != query.OpIn {
		return pick(c.play, known)
	}
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`)
	return escape.Replace(pick(c.play, known)) + "," + escape.Replace(pick(c.play, known))
}

// textOf is a value of a document as filters give it, in one of its locales; empty where there is none.
func (c *comparison) textOf(doc *document, key string) string {
	if key == "slug" {
		return doc.slug
	}
	raw := doc.fields[key]
	if strings.HasPrefix(raw, "{") {
		var locales map[string]jsontext.Value
		if json.Unmarshal([]byte(raw), &locales) != nil || len(locales) == 0 {
			return ""
		}
		raw = string(locales[pick(c.play, slices.Sorted(maps.Keys(locales)))])
	}
	var text string
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text
	}
	return raw
}
