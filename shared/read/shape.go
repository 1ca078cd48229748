package read

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// shaper writes the fields of rows for one request.
type shaper struct {
	schema  *schema.Collection // the declared fields that the answer shows
	version uint32
	locales value.Locales
	locale  string
	slugs   bool // entries have them
	// asStored holds where fields of rows at this version go out as they lie in the store.
	asStored bool
}

func (x *exchange) shaper() shaper {
	f := &x.frame
	s := shaper{
		schema: f.Schema, version: f.Version, locale: x.query.Locale, slugs: x.slugged(),
		locales: f.ValueLocales(),
	}
	if x.query.Fields != nil {
		s.schema = restrict(f.Schema, x.query.Fields)
		return s
	}
	// A localized field may hold a plain value from before the project had locales, which reads as a map now.
	s.asStored = s.locales.None() || !slices.ContainsFunc(f.Schema.Fields, func(f *schema.Field) bool { return f.Localized })
	return s
}

// restrict returns the collection with the named fields alone, in schema order.
func restrict(c *schema.Collection, names []string) *schema.Collection {
	some := *c
	some.Fields = make(schema.Fields, 0, len(names))
	for _, f := range c.Fields {
		if slices.Contains(names, f.Key) {
			some.Fields = append(some.Fields, f)
		}
	}
	return &some
}

func (s *shaper) fields(dst []byte, row *Row) ([]byte, error) {
	if s.asStored && row.SchemaVersion == s.version {
		return append(dst, row.Fields...), nil
	}
	return value.AppendResolved(dst, s.schema, s.locales, s.locale, row.Fields)
}

// shapeList writes {"data": [entry…], "pagination": {"nextCursor": …}}.
func (x *exchange) shapeList(rows []Row, next string) error {
	b := append(x.resp.plain[:0], `{"data":[`...)
	if len(rows) > 0 {
		s := x.shaper()
		for i := range rows {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = x.row(b, &s, &rows[i]); err != nil {
				return err
			}
		}
	}
	x.resp.plain = appendPagination(append(b, ']'), next)
	return nil
}

// shapeOne writes {"data": entry}.
func (x *exchange) shapeOne(row *Row) error {
	s := x.shaper()
	b, err := x.row(append(x.resp.plain[:0], `{"data":`...), &s, row)
	x.resp.plain = append(b, '}')
	return err
}

// row writes an entry in the public read shape. Ids, keys and slugs need no escaping.
func (x *exchange) row(b []byte, s *shaper, row *Row) ([]byte, error) {
	b = append(append(b, `{"id":"`...), row.Entry...)
	b = append(append(b, `","collection":"`...), x.collection.Schema.Name...)
	if row.Slug == "" || !s.slugs {
		b = append(b, `","slug":null,"fields":`...)
	} else {
		b = append(append(append(b, `","slug":"`...), row.Slug...), `","fields":`...)
	}
	b, err := s.fields(b, row)
	if err != nil {
		return b, fault.Wrap(err, "shaping revision "+string(row.Revision))
	}
	b = append(append(b, `,"meta":{"revision":"`...), row.Revision...)
	b = append(b, `","publishedAt":"`...)
	b = time.UnixMilli(row.PublishedAt).UTC().AppendFormat(b, content.TimeLayout)
	return append(b, `"}}`...), nil
}

// collections writes the public list: {"data": [{key, label, kind, path}…], "pagination": {"nextCursor": null}}.
func (x *exchange) collections() error {
	b := append(x.resp.plain[:0], `{"data":[`...)
	first := true
	for _, c := range x.view.Collections() {
		if c.Schema.Visibility != schema.VisibilityPublic {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		var err error
		if b, err = appendCollection(b, c.Schema); err != nil {
			return fault.Wrap(err, "writing the collection "+c.Schema.Name)
		}
	}
	x.resp.plain = appendPagination(append(b, ']'), "")
	return nil
}

func appendCollection(b []byte, c *schema.Collection) ([]byte, error) {
	b = append(append(b, `{"key":"`...), c.Name...)
	b, err := jsontext.AppendQuote(append(b, `","label":`...), c.Label)
	if err != nil {
		return b, err
	}
	b = append(append(b, `,"kind":"`...), c.Kind...)
	if c.Path == "" {
		return append(b, `","path":null}`...), nil
	}
	b, err = jsontext.AppendQuote(append(b, `","path":`...), c.Path)
	return append(b, '}'), err
}

func appendPagination(b []byte, next string) []byte {
	if next == "" {
		return append(b, `,"pagination":{"nextCursor":null}}`...)
	}
	return append(append(append(b, `,"pagination":{"nextCursor":"`...), next...), `"}}`...)
}
