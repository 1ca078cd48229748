package readtest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/shared/content"
	"svc/shared/read"
)

// Reads is everything that readers can ask about some collections.
type Reads struct {
	Project     content.ProjectID
	Collections []string
	Entries     []content.EntryID
	Slugs       []string
	Limit       int // of the pages that lists are walked in
	// Cache keeps answers from one time to the next; nil keeps none.
	Cache *read.Cache
	// questions are further ones.
	questions []question
}

// question is a path below that of the collections, a query string, and the name of the key that asks.
type question struct{ path, query, key string }

// Answers asks all of it at a release, or at the head for 0, of the view that is given, with keys and without. Each line is a
// call and its answer, whole: two views that answer alike give equal lines. It is an error if a view of Memory answers otherwise
// than the naive reader says. The view stays open.
func (r *Reads) Answers(ctx context.Context, view read.View, pin uint64) ([]string, error) {
	engine := &read.Engine{Store: lent{view}, Keys: ring{}, Cache: r.Cache, Now: time.Now}
	t := asking{ctx: ctx, engine: engine, prefix: "/v1/projects/" + string(r.Project) + "/collections"}
	if v, is := view.(*memoryView); is {
		t.naive = &naive{view: v, passed: map[string]int{}}
	}
	if pin > 0 {
		t.at = fmt.Sprint("at=", pin)
	}
	if pin == 0 {
		t.ask("", "")
	}
	for _, collection := range r.Collections {
		r.collection(&t, "/"+collection)
	}
	for _, q := range r.questions {
		t.key = q.key
		t.walk(q.path, q.query)
	}
	return t.lines, t.err
}

func (r *Reads) collection(t *asking, c string) {
	t.walk(c+"/entries", fmt.Sprint("limit=", r.Limit))
	t.ask(c+"/entries", "")
	t.key = "all"
	t.walk(c+"/entries", fmt.Sprint("locale=de&limit=", r.Limit))
	t.ask(c+"/entries", "locale=en&fields=title")
	t.ask(c+"/entries", "fields=rating,slug")
	t.ask(c+"/singleton", "")
	for _, e := range r.Entries {
		t.ask(c+"/entries/"+string(e), "")
		t.ask(c+"/entries/"+string(e)+"/references", "")
	}
	for _, slug := range r.Slugs {
		t.ask(c+"/entries/"+slug, "")
	}
	t.key = ""
}

// asking is reads under way.
type asking struct {
	ctx        context.Context
	engine     *read.Engine
	prefix, at string
	key        string
	naive      *naive
	lines      []string
	err        error
}

// ask makes one call and returns the body.
func (t *asking) ask(path, query string) string {
	if t.err != nil {
		return ""
	}
	c := Call{Method: http.MethodGet, Target: t.prefix + path + "?" + strings.Trim(query+"&"+t.at, "&")}
	if t.key != "" {
		c.Headers = bearer(t.key)
	}
	a, err := Serve(t.ctx, t.engine, c)
	if err != nil {
		t.err = fmt.Errorf("%s: %w", c.Target, err)
		return ""
	}
	if t.naive != nil {
		t.err = t.naive.check(c, a)
	}
	t.lines = append(t.lines, fmt.Sprintf("%s with the key %q: %d %v %s", c.Target, t.key, a.Status, a.Headers, a.Body))
	return string(a.Body)
}

func (t *asking) walk(path, query string) {
	body := t.ask(path, query)
	for m := nextCursor.FindStringSubmatch(body); m != nil; m = nextCursor.FindStringSubmatch(body) {
		body = t.ask(path, query+"&cursor="+url.QueryEscape(m[1]))
	}
}

// lent is a store of one view, which it does not close.
type lent struct{ view read.View }

func (l lent) Open(context.Context, string) (read.View, error) { return unclosed{l.view}, nil }

type unclosed struct{ read.View }

func (unclosed) Close() {}
