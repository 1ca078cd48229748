package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/render"
	"svc/shared/schema"
	"svc/shared/value"
)

// shaper writes the fields of rows for one request.
type shaper struct {
	output  value.Output
	version uint32
	slugs   bool // entries have them
	// asStored holds where fields of rows at this version go out as they lie in the store.
	asStored bool
	// page renders the markdown of the entry that is being written; nil writes its source.
	page *render.Page
	// included embeds what the entry refers to; nil embeds nothing. Where replaces is set, nothing else of fields that could go out as
	// stored changes.
	included *includer
	replaces bool
	// only names the fields that are left of the entry once it is written; nil leaves all.
	only []string
}

func (x *exchange) shaper(ctx context.Context) (shaper, error) {
	var page *render.Page
	if x.query.Rendered {
		page = new(render.Page)
	}
	s := shaperOf(&x.frame, x.query.Locale, page)
	switch {
	case x.query.Fields == nil:
	case page != nil: // ids of headings are those of the whole entry
		s.only = x.query.Fields
	default:
		s.output.Schema, s.asStored = restrict(x.frame.Schema, x.query.Fields), false
	}
	if x.query.Include == nil {
		return s, nil
	}
	var err error
	if s.included, err = x.include(ctx, page); s.included != nil {
		s.output.Reference = s.included.reference
		s.asStored, s.replaces = false, s.asStored
	}
	return s, err
}

// shaperOf returns what writes whole entries that are read under a frame.
func shaperOf(f *Frame, locale string, page *render.Page) shaper {
	s := shaper{
		output:  value.Output{Schema: f.Schema, Locales: f.ValueLocales(), Locale: locale},
		version: f.Version, slugs: f.Schema.HasSlug(), page: page,
	}
	if page != nil {
		s.output.Markdown = page.Markdown
		return s
	}
	// A localized field may hold a plain value from before the project had locales, which reads as a map now.
	s.asStored = s.output.Locales.None() || !slices.ContainsFunc(f.Schema.Fields, func(f *schema.Field) bool { return f.Localized })
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

// goesAsStored reports whether the fields of a row go out as they lie in the store.
func (s *shaper) goesAsStored(row *Row) bool { return s.asStored && row.SchemaVersion == s.version }

func (s *shaper) fields(dst []byte, row *Row) ([]byte, error) {
	if s.goesAsStored(row) {
		return append(dst, row.Fields...), nil
	}
	if s.replaces && row.SchemaVersion == s.version {
		return s.output.AppendReplaced(dst, s.included.fields, row.Fields)
	}
	start := len(dst)
	dst, err := s.output.Append(dst, row.Fields)
	if err == nil && s.only != nil {
		dst, err = keepMembers(dst[:start], bytes.Clone(dst[start:]), s.only)
	}
	if errors.Is(err, render.ErrTooLarge) {
		err = &fault.Error{Code: fault.PayloadTooLarge, Detail: fmt.Sprintf("%v in the entry %s; read it with representation=source", err, row.Entry)}
	}
	return dst, err
}

// keepMembers appends the object of those members of an object that are named.
func keepMembers(dst []byte, object jsontext.Value, names []string) ([]byte, error) {
	dst = append(dst, '{')
	err := value.EachMember(object, func(name []byte, raw jsontext.Value) error {
		if slices.Contains(names, string(name)) {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(append(append(append(dst, '"'), name...), `":`...), raw...)
		}
		return nil
	})
	return append(dst, '}'), err
}

// appendSlug appends the member slug, after a comma. It is null where entries have none.
func appendSlug(dst []byte, slug string, has bool) []byte {
	if slug == "" || !has {
		return append(dst, `,"slug":null`...)
	}
	return append(append(append(dst, `,"slug":"`...), slug...), '"')
}

// full reports whether a page ends with what was written so far, for being rendered or for what it includes: what makes a page of
// rows end is the size of their fields alone.
func (s *shaper) full(written int) bool {
	switch {
	case s.included != nil:
		return written+lookupBytes*s.included.lookups >= pageBytes
	case s.page != nil:
		return written >= pageBytes
	}
	return false
}

// shapeRows writes {"data": [entry…] and returns how many of the rows it took.
func (x *exchange) shapeRows(ctx context.Context, rows []Row) (taken int, err error) {
	s, err := x.shaper(ctx)
	if err != nil {
		return 0, err
	}
	b := append(x.resp.plain[:0], `{"data":[`...)
	for taken < len(rows) && (taken == 0 || !s.full(len(b))) {
		if taken > 0 {
			b = append(b, ',')
		}
		if b, err = x.row(b, &s, &rows[taken]); err != nil {
			return taken, err
		}
		taken++
	}
	x.resp.plain = append(b, ']')
	return taken, nil
}

// shapeOne writes {"data": entry}.
func (x *exchange) shapeOne(ctx context.Context, row *Row) error {
	s, err := x.shaper(ctx)
	if err != nil {
		return err
	}
	x.shown = row.Entry
	b, err := x.row(append(x.resp.plain[:0], `{"data":`...), &s, row)
	x.resp.plain = append(b, '}')
	return err
}

// row writes an entry in the public read shape. Ids, keys and slugs need no escaping.
func (x *exchange) row(b []byte, s *shaper, row *Row) ([]byte, error) {
	if s.page != nil {
		*s.page = render.Page{}
	}
	if s.included != nil {
		s.included.bytes = 0
	}
	b = append(append(b, `{"id":"`...), row.Entry...)
	b = append(append(b, `","collection":"`...), x.collection.Schema.Name...)
	b = append(appendSlug(append(b, '"'), row.Slug, s.slugs), `,"fields":`...)
	if n := len(row.Fields); x.accepted.packs(n) && s.goesAsStored(row) {
		x.resp.pieces = append(x.resp.pieces, piece{len(b), len(b) + n, row})
	}
	b, err := s.fields(b, row)
	if err != nil {
		return b, fault.Wrap(err, "shaping revision "+string(row.Revision))
	}
	b = append(append(b, `,"meta":{"revision":"`...), row.Revision...)
	b = append(b, `","publishedAt":`...)
	if row.PublishedAt == 0 {
		return append(b, `null}}`...), nil
	}
	b = content.AppendTime(append(b, '"'), row.PublishedAt)
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
