package read

import (
	"context"
	"strings"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/schema"
	"svc/shared/search"
)

// pageBytes is how much content makes a page end before its limit, so that no answer is much larger than one entry may be.
const pageBytes = 4 << 20

func (x *exchange) list(ctx context.Context) error {
	q := ListQuery{Collection: x.collection.Schema.Name, Pin: x.pin.release, Limit: x.query.Limit, Bytes: pageBytes}
	var err error
	if q.Search, err = search.Parse(x.query.Search); err != nil {
		return err
	}
	if x.frame.Schema != nil {
		q.Conditions, q.Order, err = query.Bind(x.frame.Schema, x.frame.ValueLocales(), x.query.Locale, x.query.Filters, x.query.Order)
		if err != nil {
			return err
		}
		q.Frame, q.Locale = &x.frame, x.query.Locale
	}
	binding := query.Binding{
		Project: x.project.ID, Collection: q.Collection, Locale: x.query.Locale, Order: q.Order.Text(), Filters: q.Conditions.Text(),
		Search: q.Search.Text(),
	}
	if q.After, err = x.after(ctx, &binding, &q.Order); err != nil {
		return err
	}
	if x.nothing() {
		x.resp.plain = appendPagination(append(x.resp.plain[:0], `{"data":[]`...), "")
		return nil
	}
	page, err := x.view.List(ctx, q)
	if err != nil {
		return fault.Wrap(err, "reading a list")
	}
	taken, err := x.shapeRows(ctx, page.Rows)
	if err != nil {
		return err
	}
	next := ""
	if page.More || taken < len(page.Rows) {
		if next, err = x.seal(&binding, &q.Order, &page.Rows[taken-1].Key); err != nil {
			return err
		}
	}
	x.resp.plain = appendPagination(x.resp.plain, next)
	return nil
}

// mayScan reports whether the request may have to look at more entries than it returns: a list that does not take all entries in
// the default order, and backlinks.
func (x *exchange) mayScan() bool {
	q := &x.query
	return x.req.Route == query.RouteBacklinks ||
		x.req.Route == query.RouteList && (len(q.Filters) > 0 || q.Order.Field != "" || strings.TrimSpace(q.Search) != "")
}

// after opens the request's cursor, and nil where there is none. A cursor that was made at a time which might still
// have come to mean a later release stays good when it does.
func (x *exchange) after(ctx context.Context, binding *query.Binding, order *query.Order) (*Key, error) {
	if x.query.Cursor == "" {
		return nil, nil
	}
	c, err := binding.Open(x.project.CursorKey, x.query.Cursor)
	if err != nil {
		return nil, fault.Wrap(err, "opening a cursor")
	}
	followed := c.Moving && x.query.At.Kind == query.AtTime && c.Pin <= x.pin.release
	if x.pin.before || c.Pin != x.walked() && !followed {
		return nil, query.ForeignCursor()
	}
	key := &Key{Missing: c.Missing, Value: c.Value, Entry: c.Entry}
	if c.Cut {
		err = x.whole(ctx, key, order)
	}
	return key, err
}

func (x *exchange) entry(ctx context.Context) error {
	row, err := x.find(ctx)
	if err != nil {
		return err
	}
	return x.shapeOne(ctx, &row)
}

// find returns the entry that the path names by its slug or id. Where there is none, NOT_FOUND tells the slug that an entry which
// had this one has now.
func (x *exchange) find(ctx context.Context) (Row, error) {
	row, found, err := x.lookUp(ctx)
	if err != nil || found {
		return row, fault.Wrap(err, "reading an entry")
	}
	missing := fault.New(fault.NotFound, "the collection %q has no entry of this slug or id", x.collection.Schema.Name)
	if !x.pin.given && x.slugged() && schema.IsSlug(x.req.Ref) {
		slug, moved, err := x.view.FormerSlug(ctx, x.collection.Schema.Name, x.req.Ref, x.pin.release)
		if err != nil {
			return row, fault.Wrap(err, "reading a former slug")
		}
		if moved {
			missing.CanonicalSlug = slug
			missing.Detail = "the entry has another slug now: " + slug
		}
	}
	return row, missing
}

func (x *exchange) lookUp(ctx context.Context) (Row, bool, error) {
	name := x.collection.Schema.Name
	switch {
	case x.nothing():
	case content.IsID[content.EntryID](x.req.Ref):
		return x.view.ByID(ctx, name, content.EntryID(x.req.Ref), x.pin.release)
	case x.slugged() && schema.IsSlug(x.req.Ref):
		return x.view.BySlug(ctx, name, x.req.Ref, x.pin.release)
	}
	return Row{}, false, nil
}

func (x *exchange) singleton(ctx context.Context) error {
	c := x.collection.Schema
	if x.frame.Schema != nil { // a pin goes by the kind of its time
		c = x.frame.Schema
	}
	if c.Kind != schema.KindSingleton {
		return fault.New(fault.NotFound, "the collection %q is no singleton; its entries are below entries", c.Name)
	}
	if !x.nothing() {
		page, err := x.view.List(ctx, ListQuery{Collection: c.Name, Pin: x.pin.release, Limit: 1})
		if err != nil {
			return fault.Wrap(err, "reading a singleton")
		}
		if len(page.Rows) > 0 {
			return x.shapeOne(ctx, &page.Rows[0])
		}
	}
	return fault.New(fault.NotFound, "the singleton %q has no published content", c.Name)
}
