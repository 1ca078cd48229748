package value

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/schema"
)

// Texts calls see with every text below one value of a field, as its reader sees it: a text, a slug, a string in json, a
// paragraph, heading or table cell of markdown or richText. raw is in compact form and belongs to one locale (see
// Locales.Values).
func Texts(f *schema.Field, raw jsontext.Value, see func(text string)) error {
	return Leaves(f, raw, "", func(l Leaf) error {
		switch l.Field.Type {
		case schema.TypeJSON:
			return l.Strings(see)
		case schema.TypeText, schema.TypeSlug:
			if text, ok := schema.Unquote(l.Raw); ok {
				see(string(text))
			}
		case schema.TypeMarkdown, schema.TypeRichText:
			reading, err := l.Read()
			for line := range strings.SplitSeq(reading.Text, "\n") {
				see(line)
			}
			return err
		}
		return nil
	})
}

// References calls see with every entry that one value of a field references, in reference fields and richText at any depth,
// as often as it does.
func References(f *schema.Field, raw jsontext.Value, see func(content.EntryID)) error {
	var m Mentions
	w := walker{wanted: mentioning, visit: m.leaf}
	err := w.value(f, raw, "")
	for _, r := range m.References {
		see(r.Entry)
	}
	return err
}

// EachSeenText passes every text of an entry that a reader sees in a locale, or in any where that is empty, until yield returns
// false. fields is in compact form.
func EachSeenText(c *schema.Collection, locales Locales, locale string, fields jsontext.Value, yield func(string) bool) error {
	more := true
	see := func(text string) { more = more && yield(text) }
	return EachMember(fields, func(name []byte, raw jsontext.Value) error {
		f := c.Fields.Get(string(name))
		if f == nil || !more {
			return nil
		}
		if locale != "" {
			seen, err := locales.InLocaleOrDefault(f, raw, locale)
			if err != nil || seen == nil {
				return err
			}
			return Texts(f, seen, see)
		}
		values, err := locales.Values(f, raw)
		for _, m := range values {
			if m.Name == "" || locales.Has(m.Name) {
				if err := Texts(f, m.Value, see); err != nil {
					return err
				}
			}
		}
		return err
	})
}
