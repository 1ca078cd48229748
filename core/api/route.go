package api

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/wire"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/schema"
)

// Body limits (decisions of the interface, "Limits").
const (
	bodyLimit   = 1 << 20   // any request
	entryLimit  = 16 << 20  // an entry, a JSON import
	streamLimit = 256 << 20 // an import as JSON lines
)

// route is one line of the table in routes.go. Everything about who may call it and what it takes is here, so that
// a handler cannot forget a check.
type route struct {
	method  string
	path    string
	summary string // one line
	// scope is what a credential must carry; empty takes any live one.
	scope credential.Scope
	// query names the accepted parameters; any other is refused.
	query  []string
	do     handler
	traits trait
}

// handler answers a call that was authenticated and authorised by its route.
type handler struct {
	run     func(c *call) (any, error)
	in, out reflect.Type // of the JSON bodies; nil where there is none
	line    reflect.Type // of each line, where the body may be JSON lines too
	status  int          // of its answer
	body    bodyKind
}

// trait is what is special about a route; a route may have several.
type trait int

const (
	created trait = 1 << iota // it answers 201
	// whole says that the action reaches beyond the entries of single collections, so that keys which are confined
	// to collections may not take it.
	whole
	long    // the action takes the longer the more there is, or is sent: it may take minutes
	waits   // Prefer: wait has it wait until edges have the change
	entries // its body is an entry or several: up to entryLimit
	// explains says that a credential of a kind which no management call takes is not refused: the handler says so.
	explains
	// anywhere says that the handler is called without a project too: the path names none, or none that the caller reaches.
	anywhere
	schemas // its body is a set of schemas, of which a hundred times its length may be made for a moment
)

func (r *route) is(t trait) bool { return r.traits&t != 0 }

// need is what a call of the route takes at a place.
func (r *route) need(at access.Place) access.Need {
	return access.Need{Place: at, Scope: r.scope, Whole: r.is(whole)}
}

// limit is the most that a body may have, in bytes.
func (r *route) limit() int64 {
	switch {
	case r.is(entries):
		return entryLimit
	case r.is(schemas):
		return schema.MaxSetBytes
	}
	return bodyLimit
}

// success is the status of its answer.
func (r *route) success() int {
	if r.is(created) {
		return http.StatusCreated
	}
	return r.do.status
}

// bodyKind says who reads the body of a request.
type bodyKind int

const (
	noBody   bodyKind = iota // none: it must be absent or an empty object
	jsonBody                 // take
	ownBody                  // the handler itself
)

// action is what a route does: it returns an Out. one, bare and empty make a handler of it.
type action[Out any] struct {
	run      func(c *call) (Out, error)
	in, line reflect.Type
	body     bodyKind
}

// plain is an action without a request body.
func plain[Out any](run func(c *call) (Out, error)) action[Out] { return action[Out]{run: run} }

// raw is an action that reads its request body itself: an In as JSON, or one Line as JSON a line.
func raw[In, Line, Out any](run func(c *call) (Out, error)) action[Out] {
	return action[Out]{run: run, in: reflect.TypeFor[In](), line: reflect.TypeFor[Line](), body: ownBody}
}

// take is an action whose request body is an In as JSON. Unknown members are refused.
func take[In, Out any](run func(c *call, in In) (Out, error)) action[Out] {
	return action[Out]{in: reflect.TypeFor[In](), body: jsonBody, run: func(c *call) (Out, error) {
		var in In
		if err := c.bind(&in); err != nil {
			var nothing Out
			return nothing, err
		}
		return run(c, in)
	}}
}

// one answers {data: Out}.
func one[Out any](a action[Out]) handler {
	return handler{in: a.in, line: a.line, out: reflect.TypeFor[wire.Envelope[Out]](), status: http.StatusOK, body: a.body, run: func(c *call) (any, error) {
		out, err := a.run(c)
		return wire.Envelope[Out]{Data: out}, err
	}}
}

// bare answers the Out itself: a list, or where the interface prints no "data".
func bare[Out any](a action[Out]) handler {
	return handler{in: a.in, out: reflect.TypeFor[Out](), status: http.StatusOK, body: a.body, run: func(c *call) (any, error) { return a.run(c) }}
}

// empty answers 204 without a body.
func empty(a action[none]) handler {
	return handler{in: a.in, status: http.StatusNoContent, body: a.body, run: func(c *call) (any, error) {
		_, err := a.run(c)
		return nil, err
	}}
}

// none is the result of an action that has nothing to say.
type none struct{}

// as makes the wire form of what a domain function returns: as(form)(domain.Function(…)).
func as[T, W any](form func(T) W) func(T, error) (W, error) {
	return func(v T, err error) (out W, _ error) {
		if err != nil {
			return out, err
		}
		return form(v), nil
	}
}

// ofPointer is as for a form of the value that is pointed to.
func ofPointer[T, W any](form func(T) W) func(*T, error) (W, error) {
	return as(func(v *T) W { return form(*v) })
}

// pageOf is as for a page of a list.
func pageOf[T, W any](form func(T) W) func(postgres.Listing[T], error) (wire.List[W], error) {
	return as(func(page postgres.Listing[T]) wire.List[W] {
		out := wire.List[W]{Data: make([]W, len(page.Items)), Pagination: wire.Pagination{NextCursor: orNull(page.NextCursor)}}
		for i, item := range page.Items {
			out.Data[i] = form(item)
		}
		return out
	})
}

// orNull is a text that is null in JSON where it is empty.
func orNull[T ~string](v T) *T {
	if v == "" {
		return nil
	}
	return &v
}

// reply is an answer: a value that becomes its JSON body, nil without one.
type reply struct {
	status int
	body   any
}

// mount registers a route; what answers GET answers HEAD too.
func (s *Server) mount(engine *gin.Engine, r route) {
	handle := func(g *gin.Context) { s.answer(g, &r) }
	engine.Handle(r.method, r.path, handle)
	if r.method == get {
		engine.HEAD(r.path, handle)
	}
}

func (s *Server) answer(g *gin.Context, r *route) {
	c := &call{server: s, gin: g, route: r}
	defer c.close()
	var end func()
	c.work, c.clock, end = limited(g.Request, s.times.read)
	c.cleanup = append(c.cleanup, end)
	answer, err := c.serve()
	if err != nil {
		s.problem(g, late(c.work, err))
	} else {
		s.write(g, answer)
	}
}

// serve is every step that all calls share, in order.
func (c *call) serve() (reply, error) {
	if err := c.authorise(); err != nil {
		return c.answeredBefore(err)
	}
	if err := c.checkQuery(); err != nil {
		return reply{}, err
	}
	c.clock.give(c.server.times.of(c.route))
	if c.route.method == get {
		return c.run()
	}
	if c.route.do.body == noBody {
		if err := c.bindNothing(); err != nil {
			return reply{}, err
		}
	}
	return c.once(c.run)
}

func (c *call) run() (reply, error) {
	body, err := c.route.do.run(c)
	return reply{c.route.success(), body}, err
}

// mostUnfit is how many parameters one answer names.
const mostUnfit = 20

// checkQuery refuses parameters that the route does not know and repeated ones, all of them at once.
func (c *call) checkQuery() error {
	values, err := parseQuery(c.gin.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	var unfit []fault.Item
	var details []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if why := c.route.unfit(name, values[name]); why != "" && len(unfit) < mostUnfit {
			f := fault.Invalid(name, "%s", why)
			unfit, details = append(unfit, f.Items...), append(details, f.Detail)
		}
	}
	if unfit != nil {
		return &fault.Error{Code: fault.ValidationFailed, Detail: strings.Join(details, "; "), Items: unfit}
	}
	c.query = values
	return nil
}

// unfit says why the route does not take a parameter; empty where it does.
func (r *route) unfit(name string, values []string) string {
	switch {
	case !slices.Contains(r.query, name):
		return "is not a parameter of this route; it takes " + cmp.Or(strings.Join(slices.Sorted(slices.Values(r.query)), ", "), "none")
	case len(values) > 1:
		return fmt.Sprintf("stands %d times; it may be given once", len(values))
	case values[0] == "" && name != "q": // which then asks for nothing
		return "needs a value"
	case !isText(values[0]):
		return "must be UTF-8 text without the character NUL"
	case name == "limit":
		if _, err := pageSize(values[0]); err != nil {
			return fmt.Sprintf("must be an integer from 1 to %d", postgres.MaxLimit)
		}
	}
	return ""
}
