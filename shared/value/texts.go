package value

import (
	"errors"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Texts yields every text of an entry as its readers see it (Leaf.Read), which is what a search looks at: text and slugs, each
// paragraph, heading, code block and table cell of markdown and richText, and the strings of json values but for the names of
// members, at any depth of what c declares. A localized field has the texts of all locales; with a locale, those of the value
// that is read in it. fields is in compact form; where it is not, the last pair has an error.
func Texts(c *schema.Collection, locales Locales, locale string, fields jsontext.Value) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		var t texts
		t.each = func(text string) error {
			if text != "" && !yield(text, nil) {
				return errStopped
			}
			return nil
		}
		if err := t.entry(c, locales, locale, fields); err != nil && !errors.Is(err, errStopped) {
			yield("", err)
		}
	}
}

// FieldTexts calls see with the texts of one value of a field that Texts would yield. raw is in compact form and belongs to one
// locale (see Locales.Values).
func FieldTexts(f *schema.Field, raw jsontext.Value, see func(text string)) error {
	t := texts{each: func(text string) error {
		if text != "" {
			see(text)
		}
		return nil
	}}
	w := walker{wanted: holdsText, visit: t.leaf, pathless: true}
	return w.value(f, raw, "")
}

// errStopped ends a walk whose texts no one wants any more.
var errStopped = errors.New("stopped")

// texts walks an entry for its texts.
type texts struct {
	each func(text string) error
	page prose // memory for markdown and richText
}

func (t *texts) entry(c *schema.Collection, locales Locales, locale string, fields jsontext.Value) error {
	w := walker{locales: locales, wanted: holdsText, visit: t.leaf, pathless: true}
	if locale == "" {
		return w.object(c.Fields, fields, "")
	}
	o := openObject(fields)
	for at := -1; o.next(); {
		if at = position(c.Fields, o.name, at); at < 0 || !holdsText(c.Fields[at]) {
			continue
		}
		read, err := seen(c.Fields[at], locales, locale, o.value)
		if err == nil && read != nil {
			err = w.value(c.Fields[at], read, "")
		}
		if err != nil {
			return err
		}
	}
	return o.err
}

// holdsText reports whether values of f can have texts.
func holdsText(f *schema.Field) bool {
	switch f.Type {
	case schema.TypeText, schema.TypeSlug, schema.TypeMarkdown, schema.TypeRichText, schema.TypeJSON, schema.TypeObject, schema.TypeBlocks:
		return true
	case schema.TypeList:
		return holdsText(f.Of)
	}
	return false
}

func (t *texts) leaf(l Leaf) error {
	switch l.Field.Type {
	case schema.TypeText, schema.TypeSlug:
		text, _ := schema.Unquote(l.Raw)
		return t.each(string(text))
	case schema.TypeJSON:
		return everyString(l.Raw, func(text []byte) error { return t.each(string(text)) })
	case schema.TypeMarkdown:
		source, ok := schema.Unquote(l.Raw)
		if !ok {
			return nil
		}
		t.begin()
		if err := t.page.read(source); err != nil {
			return fmt.Errorf("reading markdown: %w", err)
		}
	case schema.TypeRichText:
		t.begin()
		if err := readTree(&t.page.lines, l.Raw, false); err != nil {
			return err
		}
	}
	t.page.end()
	return t.page.err
}

// begin empties the page, whose blocks become texts of their own.
func (t *texts) begin() {
	b := t.page.b
	b.Reset()
	t.page = prose{lines: lines{b: b, each: t.each}}
}

// everyString visits the strings below a value, but for the names of members. An error of visit ends it.
func everyString(raw jsontext.Value, visit func(text []byte) error) error {
	switch raw.Kind() {
	case '"':
		if text, ok := schema.Unquote(raw); ok {
			return visit(text)
		}
		return nil
	case '{', '[':
		c := open(raw, raw[0])
		for c.next() {
			if err := everyString(c.value, visit); err != nil {
				return err
			}
		}
		return c.err
	}
	return nil
}
