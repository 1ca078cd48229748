package read

import (
	"context"
	"errors"
	"time"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/query"
)

// maxWait is how long an edge waits for a release that it does not hold yet.
const maxWait = 2 * time.Second

// Engine answers public reads from a store. It may be used from many goroutines.
type Engine struct {
	Store Store
	Keys  Keys
	// Previews looks up preview tokens. It is set on core; an edge forwards the reads that carry one, and needs none.
	Previews Previews
	// Used is told of every use of a live key; nil tells no one.
	Used func(key content.KeyID, now time.Time)
	// Answered is told whose project was read, of every GET and HEAD that was answered, with a 404 or 304 too: not where the caller is
	// told that there is no such project, and not where the service failed. nil tells no one.
	Answered func(organization content.OrganizationID)
	// Await waits until the store holds a release of a project, or until ctx ends; a view opened afterwards holds
	// it. It is set on an edge, which forwards to core what it does not hold; it is nil on core, which refuses instead.
	Await func(ctx context.Context, project content.ProjectID, release uint64) error
	// AcquireScan waits for a slot for a read that may scan more entries than it returns: a list that filters, searches or is
	// ordered by a field, and backlinks. done releases the slot. If ctx has ended, it only takes a slot that is free. It is set where
	// such reads could starve other reads; nil admits everything.
	AcquireScan func(ctx context.Context) (done func(), err error)
	// Cache keeps answers; nil keeps none. It is set where views tell versions.
	Cache *Cache
	// Now is the clock for the expiry of keys and for pins in the future.
	Now func() time.Time
	// LocalOrigins lets every origin on localhost read, whatever projects allow. It is off in production.
	LocalOrigins bool
}

// errForward says that this engine cannot answer and core must.
var errForward = errors.New("answered elsewhere")

// behindError says that the view is older than the request needs. Release is 0 if a new view suffices.
type behindError struct{ release uint64 }

func (e *behindError) Error() string { return "the view is too old" }

// exchange is the state of one request on its way through the steps.
type exchange struct {
	*Engine
	req      Request
	resp     *Response
	reopened bool
	preview  bool   // the request carries a preview token, good or not
	accepted Coding // that the caller likes best
	scanned  func() // releases the slot for a scan; nil without one

	view       View              // nil where there is no such project
	project    *Project          // of the view
	grant      *credential.Grant // of a verified key that reaches the project, or nil
	collection *Collection
	undecided  error // why no one can tell at the moment whether the caller's key is good, or nil
	private    bool  // not for shared caches
	// dependsOn are the collections that the answer depends on besides its own: those of included entries, and those whose entries
	// may refer to the one of backlinks.
	dependsOn []string
	query     query.Query
	malformed error // what is wrong with the query string, or nil
	pin       pin
	frame     Frame
	shown     content.EntryID // of an answer that is one entry
	body      body

	named   bool // the answer names its release
	release uint64
}

// Serve answers a request. The caller releases the response.
func (e *Engine) Serve(ctx context.Context, req *Request) *Response {
	x := newExchange(e, req)
	err := x.serve(ctx)
	switch {
	case errors.Is(err, errForward):
		x.resp.Forward = true
		if !x.atCore() { // core's answer has headers of its own
			x.resp.Headers = nil
		}
	case err != nil:
		x.fail(err)
	}
	if e.Answered != nil && x.answered() {
		e.Answered(x.project.Organization)
	}
	return x.end()
}

func (x *exchange) answered() bool {
	reads := x.req.Method == "GET" || x.req.Method == "HEAD"
	return reads && !x.resp.Forward && x.resp.Status < 500 && !x.hidden()
}

func (x *exchange) serve(ctx context.Context) error {
	x.query, x.malformed = query.Parse(x.req.Route, x.req.RawQuery)
	x.preview = x.req.hasPreviewToken(&x.query)
	x.accepted = negotiate(x.req.AcceptEncoding)
	defer func() {
		if x.scanned != nil {
			x.scanned()
		}
	}()
	for {
		err := x.attempt(ctx)
		behind, isBehind := errors.AsType[*behindError](err)
		switch {
		case errors.Is(err, errScan):
			if err := x.acquireScan(ctx); err != nil { // without a view, which others can have meanwhile
				return fault.Wrap(err, "waiting for the turn of a list")
			}
		case isBehind:
			if x.reopened {
				return errForward // only an edge is still behind then
			}
			if err := x.catchUp(ctx, behind.release); err != nil {
				return err
			}
			x.reopened = true
		case err != nil || x.resp.Status != 0:
			return err
		default:
			x.finish()
			return nil
		}
	}
}

// attempt runs the steps on one view, and closes it before anything is sent.
func (x *exchange) attempt(ctx context.Context) error {
	view, err := x.open(ctx)
	if err != nil {
		return err
	}
	x.view, x.project, x.grant, x.dependsOn, x.shown = view, nil, nil, nil, ""
	if view != nil {
		defer view.Close()
		x.project = view.Project()
	}
	x.common()
	switch x.req.Method {
	case "OPTIONS":
		if x.hidden() && x.elsewhere() {
			return errForward
		}
		x.preflight()
		return nil
	case "GET", "HEAD":
		return x.read(ctx)
	}
	x.resp.set("Allow", allowedMethods)
	return fault.New(fault.MethodNotAllowed, "%s is not a method of this resource; it takes %s", x.req.Method, allowedMethods)
}

func (x *exchange) read(ctx context.Context) error {
	if err := x.authorise(ctx); err != nil {
		return err
	}
	x.named, x.release = true, x.newest()
	if x.malformed != nil {
		return x.malformed
	}
	if err := x.fresh(); err != nil {
		return err
	}
	switch x.req.Route {
	case query.RouteCollections:
		if err := x.collections(); err != nil {
			return err
		}
		return x.code()
	case query.RouteLive:
		return x.live()
	}
	if err := x.resolvePin(ctx); err != nil {
		return err
	}
	return x.answer(ctx)
}

// selectRows writes what the request selects into resp.plain, and notes in resp.pieces what is compressed for itself.
func (x *exchange) selectRows(ctx context.Context) error {
	x.resp.pieces = x.resp.pieces[:0]
	switch x.req.Route {
	case query.RouteList:
		return x.list(ctx)
	case query.RouteEntry:
		return x.entry(ctx)
	case query.RouteSingleton:
		return x.singleton(ctx)
	case query.RouteBacklinks:
		return x.backlinks(ctx)
	}
	return errForward
}

// catchUp waits for a release that the view lacks. Core has it or refuses; an edge that waits in vain forwards the request.
func (x *exchange) catchUp(ctx context.Context, release uint64) error {
	if x.Await == nil || release == 0 {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	if err := x.Await(waiting, x.project.ID, release); err != nil {
		return errForward
	}
	return nil
}

func (x *exchange) atCore() bool { return x.Await == nil }

// fail turns the response into a problem. The headers that every answer carries stay.
func (x *exchange) fail(err error) {
	if len(x.resp.Headers) == 0 {
		x.common()
	}
	answer := problem.Render(err, x.req.RequestID)
	x.resp.Status, x.resp.Body = answer.Status, answer.Body
	x.resp.Headers = append(x.resp.Headers, answer.Headers...)
	if x.named {
		x.setRelease()
	}
	if f := fault.As(err); f.Code == fault.Internal || f.Err != nil {
		x.resp.Err = err
	}
}
