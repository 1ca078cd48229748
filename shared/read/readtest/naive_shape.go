package readtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/schema"
)

// hasSlugs: a collection with a slug field or a path has slugs, but no singleton does.
func hasSlugs(c *schema.Collection) bool {
	return c != nil && c.Kind != schema.KindSingleton &&
		(c.Path != "" || slices.ContainsFunc(c.Fields, func(f *schema.Field) bool { return f.Type == schema.TypeSlug }))
}

func slugOf(c *schema.Collection, slug string) string {
	if slug == "" || !hasSlugs(c) {
		return "null"
	}
	return quoted(slug)
}

func quoted(text string) string {
	b, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// entry is the public read shape of a row.
func (r *reading) entry(row *read.Row) string {
	r.headings = map[string]bool{}
	return fmt.Sprintf(`{"id":%q,"collection":%q,"slug":%s,"fields":%s,"meta":{"revision":%q,"publishedAt":%q}}`,
		row.Entry, r.req.Collection, slugOf(r.frame.Schema, row.Slug), r.fields(&r.frame, row, r.query.Fields, r.query.Include),
		row.Revision, time.UnixMilli(row.PublishedAt).UTC().Format("2006-01-02T15:04:05.000Z"))
}

// fields are those of an entry that are named, or all for nil, as the frame has them: with entries instead of the ids in those that
// are to be included. What a project without locales accepted under the very schema of the frame fits it and goes out as it is otherwise;
// tests store, too, what no project accepts.
func (r *reading) fields(frame *read.Frame, row *read.Row, named, include []string) string {
	if len(frame.Locales) == 0 && row.SchemaVersion == frame.Version && named == nil && !r.query.Rendered {
		return r.asStored(frame.Schema, row.Fields, include)
	}
	return r.members(frame.Schema.Fields, members(row.Fields), func(f *schema.Field, raw json.RawMessage) (text string) {
		defer func() {
			if named != nil && !slices.Contains(named, f.Key) {
				text = "" // once its headings have their ids
			}
		}()
		show := func(v json.RawMessage) string { return r.value(f, v) }
		if slices.Contains(include, f.Key) {
			show = func(v json.RawMessage) string { return r.included(f, v) }
		}
		switch {
		case isLocalized(frame, f) && r.query.Locale != "":
			if v := seen(frame, f, raw, r.query.Locale); v != nil {
				return show(v)
			}
			return "null"
		case unset(raw):
			return ""
		case isLocalized(frame, f):
			var locales []string
			all := byLocale(frame, f, raw)
			for _, locale := range slices.Sorted(maps.Keys(all)) {
				locales = append(locales, quoted(locale)+":"+show(all[locale]))
			}
			if locales == nil {
				return ""
			}
			return "{" + strings.Join(locales, ",") + "}"
		}
		return show(raw)
	})
}

// asStored is an object as it lies, with entries instead of the ids in the fields that are to be included.
func (r *reading) asStored(c *schema.Collection, stored []byte, include []string) string {
	var all []string
	d := jsontext.NewDecoder(bytes.NewReader(stored))
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		token, _ := d.ReadToken()
		name := token.String()
		raw, _ := d.ReadValue()
		text := string(raw)
		if slices.Contains(include, name) && !unset(json.RawMessage(raw)) {
			text = r.included(c.Field(name), json.RawMessage(raw))
		}
		all = append(all, quoted(name)+":"+text)
	}
	return "{" + strings.Join(all, ",") + "}"
}

// members is an object of what show makes of the values of fields, without those of which it makes nothing.
func (r *reading) members(fields schema.Fields, stored map[string]json.RawMessage, show func(*schema.Field, json.RawMessage) string) string {
	var all []string
	for _, f := range fields {
		if text := show(f, stored[f.Key]); text != "" {
			all = append(all, quoted(f.Key)+":"+text)
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// nested is an object of fields that have no locales.
func (r *reading) nested(fields schema.Fields, stored json.RawMessage) string {
	return r.members(fields, members(stored), func(f *schema.Field, raw json.RawMessage) string {
		if unset(raw) {
			return ""
		}
		return r.value(f, raw)
	})
}

// value is one value of a field as it is shown. What does not fit the field stays as it is.
func (r *reading) value(f *schema.Field, raw json.RawMessage) string {
	list, isList := items(raw)
	isText := strings.HasPrefix(string(raw), `"`)
	switch {
	case f.Type == schema.TypeMarkdown && isText && r.query.Rendered:
		var source string
		if err := json.Unmarshal(raw, &source); err != nil {
			panic(err)
		}
		return quoted(r.withIDs(rendered(source)))
	case f.Multiple && isText:
		return "[" + string(raw) + "]"
	case f.Type == schema.TypeObject && members(raw) != nil:
		return r.nested(f.Fields, raw)
	case f.Type == schema.TypeList && isList:
		return array(list, func(item json.RawMessage) string { return r.value(f.Of, item) })
	case f.Type == schema.TypeBlocks && isList:
		return array(list, func(item json.RawMessage) string { return r.block(f, item) })
	}
	return string(raw)
}

// block is one block; nothing where its type is declared no more.
func (r *reading) block(f *schema.Field, raw json.RawMessage) string {
	stored := members(raw)
	if stored == nil {
		return string(raw)
	}
	b := f.Block(strings.Trim(string(stored["type"]), `"`))
	if b == nil {
		return ""
	}
	return fmt.Sprintf(`{"type":%q,"fields":%s}`, b.Key, r.nested(b.Fields, stored["fields"]))
}

// array is one of what show makes of items, without those of which it makes nothing.
func array(items []json.RawMessage, show func(json.RawMessage) string) string {
	var all []string
	for _, item := range items {
		if text := show(item); text != "" {
			all = append(all, text)
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}

// included is the value of a reference field with entries instead of ids.
func (r *reading) included(f *schema.Field, raw json.RawMessage) string {
	one := func(raw json.RawMessage) string {
		var id content.EntryID
		if json.Unmarshal(raw, &id) != nil {
			return string(raw)
		}
		return r.embedded(f.To, id)
	}
	list, isList := items(raw)
	isText := strings.HasPrefix(string(raw), `"`)
	switch {
	case isList:
		return array(list, one)
	case f.Multiple && isText:
		return array([]json.RawMessage{raw}, one)
	}
	if text := one(raw); text != "" {
		return text
	}
	return "null"
}

// embedded is an entry in another; nothing where it is not published at the pin, or the caller may not read its collection, which
// is decided by what is in force now.
func (r *reading) embedded(collection string, id content.EntryID) string {
	c, frame := r.inForce(0)[collection], r.frameOf(collection, r.pin)
	if c == nil || frame.Schema == nil || !r.mayRead(c) {
		return ""
	}
	row, found, _ := r.first(collection, r.pin, func(row read.Row) bool { return row.Entry == id })
	if !found {
		return ""
	}
	return fmt.Sprintf(`{"id":%q,"slug":%s,"fields":%s}`, id, slugOf(frame.Schema, row.Slug), r.fields(&frame, &row, nil, nil))
}

var (
	heading = regexp.MustCompile(`(?s)<(h[1-6]) id="[^"]*">(.*?)</h[1-6]>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
)

// propertyName is the only word of these tests that no heading may have as its id: documents have a property of the name.
const propertyName = "title"

// withIDs gives the headings in the HTML of a text their ids: the words, with a number where another heading of the entry's
// response has them.
func (r *reading) withIDs(page string) string {
	return heading.ReplaceAllStringFunc(page, func(found string) string {
		parts := heading.FindStringSubmatch(found)
		words := strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(parts[2], "")))
		base := ""
		for _, c := range strings.ToLower(words) {
			switch {
			case unicode.IsSpace(c):
				base += "-"
			case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c):
				base += string(c)
			}
		}
		if strings.Trim(base, "-_") == "" {
			base = "section"
		}
		id := base
		for n := 1; id == propertyName || r.headings[id]; n++ {
			id = fmt.Sprint(base, "-", n)
		}
		r.headings[id] = true
		return fmt.Sprintf(`<%s id="%s">%s</%s>`, parts[1], id, parts[2], parts[1])
	})
}
