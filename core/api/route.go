package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/core/postgres"
	"svc/shared/credential"
	"svc/shared/fault"
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
	method string
	path   string
	// scope is what a credential must carry; empty takes any live one.
	scope credential.Scope
	// query names the accepted parameters; any other is refused.
	query []string
	// limit bounds the body; 0 means bodyLimit.
	limit int64
	do    handler
}

// handler answers a call that was authenticated and authorised by its route.
type handler struct {
	run  func(c *call) (reply, error)
	body bodyKind
	// whole says that the action reaches beyond the entries of single collections, so that keys which are confined
	// to collections may not take it.
	whole bool
	// long says that the action takes the longer the more there is, or is sent.
	long bool
	// dense says that much more is made of a body than of others, by its length.
	dense bool
}

// bodyKind says who reads the body of a request.
type bodyKind int

const (
	noBody   bodyKind = iota // nobody: it must be absent or an empty object
	jsonBody                 // take
	ownBody                  // the handler itself
)

// plain handles a request that carries nothing.
func plain(run func(c *call) (reply, error)) handler { return handler{run: run} }

// raw handles a request whose body the handler reads itself.
func raw(run func(c *call) (reply, error)) handler { return handler{run: run, body: ownBody} }

// whole is h for keys that are not confined to collections.
func whole(h handler) handler {
	h.whole = true
	return h
}

// long is h for actions that may take minutes.
func long(h handler) handler {
	h.long = true
	return h
}

// dense is h for bodies of which a hundred times their length may be made for a moment.
func dense(h handler) handler {
	h.dense = true
	return h
}

// take handles a request whose JSON body is an In. Unknown members are refused.
func take[In any](run func(c *call, in In) (reply, error)) handler {
	return handler{body: jsonBody, run: func(c *call) (reply, error) {
		var in In
		if err := c.bind(&in); err != nil {
			return reply{}, err
		}
		return run(c, in)
	}}
}

// reply is what a handler answers with.
type reply struct {
	status int // 0 is 200
	body   any
}

// bare answers with the value itself, where the interface prints no "data".
func bare(v any) reply { return reply{body: v} }

// one answers {data: v}.
func one(v any) reply { return reply{body: envelope{v}} }

// many answers {data: items, pagination: {nextCursor}}.
func many[T any](items []T, next string) reply {
	list := listing{Data: items}
	if next != "" {
		list.Pagination.NextCursor = &next
	}
	return reply{body: list}
}

// manyOf answers with a page in its wire form, or with the failure to read it.
func manyOf[T, W any](page postgres.Listing[T], wire func(T) W, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	items := make([]W, len(page.Items))
	for i, item := range page.Items {
		items[i] = wire(item)
	}
	return many(items, page.NextCursor), nil
}

// as gives a reply another status.
func (r reply) as(status int) reply {
	r.status = status
	return r
}

type envelope struct {
	Data any `json:"data"`
}

type listing struct {
	Data       any        `json:"data"`
	Pagination pagination `json:"pagination"`
}

type pagination struct {
	NextCursor *string `json:"nextCursor"`
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
		return c.route.do.run(c)
	}
	if c.route.do.body == noBody {
		if err := c.bindNothing(); err != nil {
			return reply{}, err
		}
	}
	return c.once(func() (reply, error) { return c.route.do.run(c) })
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
		return "is not a parameter of this route; it takes " + listed(r.query)
	case len(values) > 1:
		return fmt.Sprintf("stands %d times; it may be given once", len(values))
	case values[0] == "":
		return "needs a value"
	case !isText(values[0]):
		return "must be UTF-8 text without the character NUL"
	}
	return ""
}
