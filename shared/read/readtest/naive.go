package readtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/schema"
	"svc/shared/search"
)

// naive reads the history of Memory as the contract says it ("Content read API"), without the engine: it has the query string and
// the schema parsed, and finds out everything else itself, as plainly as it can. It says of an answer what it must be: the status,
// whether shared caches may keep it, and the body; of a refusal the code, and the slug that is right.
type naive struct {
	view *memoryView
	// passed says of every cursor that was seen how many entries of its list come before it.
	passed map[string]int
}

var refusals = map[int]string{400: "VALIDATION_FAILED", 401: "AUTHENTICATION_REQUIRED", 403: "FORBIDDEN", 404: "NOT_FOUND"}

// check holds an answer to what it must be. A cursor only has to be there; that it leads on shows when it is followed.
func (n *naive) check(c Call, a Answer) error {
	req, err := request(c)
	if err != nil {
		return err
	}
	cursor := ""
	if m := nextCursor.FindStringSubmatch(string(a.Body)); m != nil {
		cursor = m[1]
	}
	got := fmt.Sprint(a.Status, " private: ", strings.HasPrefix(a.Headers["cache-control"], "private"), " ",
		nextCursor.ReplaceAllString(string(a.Body), `"nextCursor":"…"`))
	if a.Status != 200 {
		var problem struct{ Code, CanonicalSlug string }
		if err := json.Unmarshal(a.Body, &problem); err != nil {
			return err
		}
		got = fmt.Sprint(a.Status, " ", problem.Code, " ", problem.CanonicalSlug)
	}
	r := reading{memoryView: n.view, req: req, grant: grantOf(req.Authorization)}
	status, text := r.answer(n.passed)
	want := fmt.Sprint(status, " private: ", r.private, " ", text)
	if status != 200 {
		want = fmt.Sprint(status, " ", refusals[status], " ", text)
	}
	if got != want {
		return fmt.Errorf("%s with %q gets\n%s\nand should get\n%s", c.Target, c.Headers, got, want)
	}
	if cursor != "" {
		n.passed[cursor] = r.until
	}
	return nil
}

// reading is one read.
type reading struct {
	*memoryView
	req     *read.Request
	grant   *credential.Grant
	private bool // it shows what only this caller may see

	query query.Query
	pin   uint64
	frame read.Frame
	until int // how many entries of a list come before the next page

	headings map[string]bool // the ids in the entry that is being shown
}

// answer returns a status and, for 200, the body; for 404, the slug that an entry has now.
func (r *reading) answer(passed map[string]int) (status int, text string) {
	if r.req.Route == query.RouteCollections {
		return 200, r.collections()
	}
	c := r.inForce(0)[r.req.Collection]
	if c == nil {
		return 404, ""
	}
	if c.Schema.Visibility == schema.VisibilityPrivate {
		r.private = true
		switch {
		case r.grant == nil || !slices.Contains(r.grant.Scopes, credential.ContentRead):
			return 401, ""
		case !r.mayRead(c):
			return 403, ""
		}
	}
	if !r.understand() {
		return 400, ""
	}
	switch r.req.Route {
	case query.RouteList:
		return r.list(passed)
	case query.RouteSingleton:
		return r.singleton(c.Schema)
	}
	row, found := r.find()
	switch {
	case !found && r.query.At.Kind == query.AtHead && hasSlugs(r.frame.Schema):
		slug, _, _ := r.FormerSlug(context.Background(), r.req.Collection, r.req.Ref, 0)
		return 404, slug
	case !found:
		return 404, ""
	case r.req.Route == query.RouteBacklinks:
		return 200, r.backlinks(row.Entry)
	}
	return 200, `{"data":` + r.entry(&row) + `}`
}

func (r *reading) frameOf(collection string, pin uint64) read.Frame {
	frame, _ := r.Frame(context.Background(), collection, pin)
	return frame
}

// mayRead reports whether the caller may read a collection: a private one takes a key.
func (r *reading) mayRead(c *read.Collection) bool {
	return c.Schema.Visibility == schema.VisibilityPublic || r.grant != nil && slices.Contains(r.grant.Scopes, credential.ContentRead) &&
		(len(r.grant.Collections) == 0 || slices.Contains(r.grant.Collections, c.Schema.Name))
}

// understand reads what is asked, and reports whether it makes sense under the schema of the pin.
func (r *reading) understand() bool {
	var err error
	if r.query, err = query.Parse(r.req.Route, r.req.RawQuery); err != nil {
		return false
	}
	if r.query.At.Kind == query.AtRelease {
		r.pin = uint64(r.query.At.Release)
		if !slices.ContainsFunc(r.releases, func(rel Release) bool { return rel.Number == r.pin }) {
			return false
		}
	}
	r.frame = r.frameOf(r.req.Collection, r.pin)
	if r.query.Locale != "" && !slices.Contains(r.frame.Locales, r.query.Locale) {
		return false
	}
	if r.frame.Schema == nil {
		return true
	}
	for _, name := range r.query.Fields {
		if r.frame.Schema.Field(name) == nil {
			return false
		}
	}
	for _, name := range r.query.Include {
		f := r.frame.Schema.Field(name)
		if f == nil || f.Type != schema.TypeReference {
			return false
		}
	}
	for _, name := range r.query.Include {
		to := r.inForce(0)[r.frame.Schema.Field(name).To]
		shown := r.query.Fields == nil || slices.Contains(r.query.Fields, name) || r.query.Rendered // headings count anyway
		if shown && to != nil && to.Schema.Visibility == schema.VisibilityPrivate && r.mayRead(to) {
			r.private = true
		}
	}
	return true
}

func (r *reading) list(passed map[string]int) (status int, text string) {
	q := read.ListQuery{Collection: r.req.Collection, Pin: r.pin, Frame: &r.frame, Locale: r.query.Locale, Limit: 1 << 20}
	var err error
	if q.Search, err = search.Parse(r.query.Search); err != nil {
		return 400, ""
	}
	var shown []string
	if r.frame.Schema != nil {
		q.Conditions, q.Order, err = query.Bind(r.frame.Schema, r.frame.ValueLocales(), q.Locale, r.query.Filters, r.query.Order)
		if err != nil {
			return 400, ""
		}
		page, _ := r.List(context.Background(), q)
		start := 0
		if r.query.Cursor != "" {
			start = passed[r.query.Cursor]
		}
		r.until = min(start+r.query.Limit, len(page.Rows))
		for _, row := range page.Rows[start:r.until] {
			shown = append(shown, r.entry(&row))
		}
		if r.until < len(page.Rows) {
			return 200, `{"data":[` + strings.Join(shown, ",") + `],"pagination":{"nextCursor":"…"}}`
		}
	}
	return 200, `{"data":[` + strings.Join(shown, ",") + `],"pagination":{"nextCursor":null}}`
}

func (r *reading) singleton(live *schema.Collection) (status int, text string) {
	if r.frame.Schema != nil {
		live = r.frame.Schema
	}
	if live.Kind != schema.KindSingleton || r.frame.Schema == nil {
		return 404, ""
	}
	page, _ := r.List(context.Background(), read.ListQuery{Collection: r.req.Collection, Pin: r.pin, Limit: 1})
	if len(page.Rows) == 0 {
		return 404, ""
	}
	return 200, `{"data":` + r.entry(&page.Rows[0]) + `}`
}

// find returns the entry that the path names by its id or its slug.
func (r *reading) find() (read.Row, bool) {
	ref := r.req.Ref
	row, found, _ := r.first(r.req.Collection, r.pin, func(row read.Row) bool {
		return string(row.Entry) == ref || row.Slug == ref && hasSlugs(r.frame.Schema)
	})
	return row, found && r.frame.Schema != nil
}

func (r *reading) backlinks(target content.EntryID) string {
	var public []string
	for name, c := range r.inForce(0) {
		if c.Schema.Visibility == schema.VisibilityPublic {
			public = append(public, name)
		}
	}
	var shown []string
	links, _ := r.Backlinks(context.Background(), target, r.pin, public, 200)
	for _, link := range links {
		from := r.frameOf(link.Collection, r.pin)
		shown = append(shown, fmt.Sprintf(`{"id":%q,"collection":%q,"slug":%s}`, link.Entry, link.Collection, slugOf(from.Schema, link.Slug)))
	}
	return `{"data":{"referencedBy":[` + strings.Join(shown, ",") + `]}}`
}

func (r *reading) collections() string {
	var shown []string
	for _, c := range r.Collections() {
		if c.Schema.Visibility == schema.VisibilityPublic {
			path := "null"
			if c.Schema.Path != "" {
				path = quoted(c.Schema.Path)
			}
			shown = append(shown, fmt.Sprintf(`{"key":%q,"label":%s,"kind":%q,"path":%s}`, c.Schema.Name, quoted(c.Schema.Label), c.Schema.Kind, path))
		}
	}
	return `{"data":[` + strings.Join(shown, ",") + `],"pagination":{"nextCursor":null}}`
}
