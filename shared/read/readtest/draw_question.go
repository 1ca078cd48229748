package readtest

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/schema"
)

// drawQuestion makes a read of a collection as it is declared in a frame, mostly of a list. Most are right; a few name what is
// not there.
func drawQuestion(r *rand.Rand, collection string, frame *read.Frame) question {
	q := question{path: "/" + collection + "/entries", key: []string{"", "", "all", "posts", "write"}[r.IntN(5)]}
	c := frame.Schema
	if c == nil {
		c = &schema.Collection{}
	}
	ref := fmt.Sprint("/s", r.IntN(18))
	if r.IntN(3) > 0 {
		ref = "/" + string(Entry(drawEntry(r, collection)))
	}
	switch n := r.IntN(10); {
	case n == 0:
		q.path += ref + "/references"
		return q
	case n == 1 || n == 2:
		q.path += ref
	case c.Kind == schema.KindSingleton && n < 6:
		q.path = "/" + collection + "/singleton"
	default:
		q.query = strings.Join(append(drawSelected(r, c), fmt.Sprint("limit=", 1+r.IntN(5))), "&") + "&"
	}
	q.query += strings.Join(drawShown(r, c, frame.Locales), "&")
	return q
}

// drawSelected are parameters that say which entries are in a list, and in which order.
func drawSelected(r *rand.Rand, c *schema.Collection) (parts []string) {
	seen := map[string]bool{}
	for range r.IntN(3) {
		f := query.Filter{Field: "title", Op: query.Ops()[r.IntN(len(query.Ops()))]}
		kind := schema.TypeText
		if field := pick(r, c, (*schema.Field).Filterable); field != nil {
			f.Field, kind = field.Key, field.Type
		}
		if name := f.Name(); !seen[name] {
			seen[name] = true
			parts = append(parts, name+"="+url.QueryEscape(drawValue(r, kind, f.Op)))
		}
	}
	if r.IntN(3) == 0 {
		q := words[r.IntN(len(words))]
		if r.IntN(2) == 0 {
			q += " " + words[r.IntN(len(words))]
		}
		parts = append(parts, "q="+url.QueryEscape(q))
	}
	if f := pick(r, c, func(f *schema.Field) bool { return f.Type.Sortable() }); f != nil && r.IntN(3) > 0 {
		parts = append(parts, "order="+[]string{"", "-"}[r.IntN(2)]+f.Key)
	}
	return parts
}

// pick draws a field that is right for something, now and then any; nil where there is none.
func pick(r *rand.Rand, c *schema.Collection, right func(*schema.Field) bool) *schema.Field {
	var all []*schema.Field
	anything := r.IntN(20) == 0
	for _, f := range c.Fields {
		if anything || right(f) {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.IntN(len(all))]
}

// drawShown are parameters that say how entries are returned.
func drawShown(r *rand.Rand, c *schema.Collection, locales []string) (parts []string) {
	if len(locales) > 0 && r.IntN(3) > 0 {
		parts = append(parts, "locale="+locales[r.IntN(len(locales))])
	} else if r.IntN(40) == 0 {
		parts = append(parts, "locale=xx")
	}
	if r.IntN(3) == 0 {
		parts = append(parts, "representation=rendered")
	}
	names := func(every int, is func(f *schema.Field) bool) (all []string) {
		for _, f := range c.Fields {
			if is(f) && r.IntN(every) > 0 || r.IntN(100) == 0 {
				all = append(all, f.Key)
			}
		}
		if r.IntN(100) == 0 {
			all = append(all, "none")
		}
		return all
	}
	if include := names(4, func(f *schema.Field) bool { return f.Type == schema.TypeReference }); len(include) > 0 && r.IntN(4) > 0 {
		parts = append(parts, "include="+strings.Join(include, ","))
	}
	if fields := names(4, func(*schema.Field) bool { return true }); len(fields) > 0 && r.IntN(5) == 0 {
		parts = append(parts, "fields="+strings.Join(fields, ","))
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
