package server

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"time"
	"unsafe"

	"github.com/valyala/fasthttp"

	"svc/edge/limit"
	"svc/edge/origin"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/outbound"
	"svc/shared/problem"
	"svc/shared/query"
	"svc/shared/read"
)

// read answers a public read from the edge's own store, or passes it on where the engine says so, and returns which.
func (s *Server) read(ctx *fasthttp.RequestCtx, a read.Path, t target, call origin.Call) kind {
	h := &ctx.Request.Header
	who := asker{project: a.Project, authorization: joined(h, fasthttp.HeaderAuthorization)}
	project := s.Resolve(a.Project)
	mayBeUnknown := project == nil || !project.PublicAPIEnabled
	if !ctx.IsOptions() {
		if err := s.checkRateLimit(ctx, s.countedUnder(project, who.authorization), call.Client); err != nil {
			origin.WriteProblem(ctx, err, call.RequestID)
			return readHere
		}
	}
	reading, end := s.reading(a.Route)
	defer end()
	response := s.Engine.Serve(reading, &read.Request{
		Method: view(ctx.Method()), Route: a.Route, Project: a.Project, Collection: a.Collection, Ref: a.Ref,
		RawQuery:      view(t.query),
		Authorization: who.authorization, Origin: joined(h, fasthttp.HeaderOrigin),
		IfNoneMatch: joined(h, fasthttp.HeaderIfNoneMatch), AcceptEncoding: joined(h, fasthttp.HeaderAcceptEncoding),
		MinRelease: optional(h, "Svc-Min-Release"), RequestID: call.RequestID,
		NoProject: mayBeUnknown && s.unknown.knows(who),
	})
	if response.Forward {
		response.Release()
		s.forward(ctx, call)
		if mayBeUnknown && isNoProject(&ctx.Response) {
			s.unknown.note(who)
		}
		return forwarded
	}
	if response.Rights != nil && !ctx.IsHead() {
		s.follow(ctx, response, call)
		return readHere
	}
	if response.Err != nil && reading.Err() != nil {
		late := &fault.Error{
			Code: fault.Unavailable, RetryAfter: 5 * time.Second, Detail: "too many slow lists are running here; try again shortly", Err: response.Err,
		}
		response.Release()
		s.report(late, a, call)
		origin.WriteProblem(ctx, late, call.RequestID)
		return readHere
	}
	if response.Err != nil {
		s.report(response.Err, a, call)
	}
	if !s.keep(ctx, response) {
		response.Release()
		origin.WriteProblem(ctx, &fault.Error{
			Code: fault.Unavailable, RetryAfter: time.Second, Detail: "too many large answers are being sent; try again shortly",
		}, call.RequestID)
		return readHere
	}
	s.send(ctx, response)
	return readHere
}

// reading is what a read is done in. One that lists has a time, or all who come after would wait for callers that have gone,
// since lists that take long take turns. Other reads take none.
func (s *Server) reading(kind query.Route) (context.Context, context.CancelFunc) {
	if kind == query.RouteList || kind == query.RouteSingleton || kind == query.RouteBacklinks {
		return context.WithTimeout(context.Background(), s.Pace.Read)
	}
	return context.Background(), func() {}
}

// keep keeps a response until it is written, and reports whether there is room for it.
func (s *Server) keep(ctx *fasthttp.RequestCtx, response *read.Response) bool {
	const key = "response"
	if response.Held() < weighty {
		ctx.SetUserValue(key, (*sent)(response))
		return true
	}
	conn := ctx.Conn()
	t := s.outbound.Begin(response.Held(), false, func() {
		_ = conn.Close() // writing to it ends, and with that the answer
	})
	if t != nil {
		ctx.SetUserValue(key, &taking{response, t})
	}
	return t != nil
}

// report logs a failed read as loud as it deserves: what comes right by itself, and is answered so, is a warning.
func (s *Server) report(err error, a read.Path, call origin.Call) {
	level := slog.LevelError
	if fault.As(err).Code != fault.Internal {
		level = slog.LevelWarn
	}
	s.Logger.Log(context.Background(), level, "a read failed", "requestId", call.RequestID, "route", a.Route, "error", err)
}

const (
	// weighty is the size from which an answer counts: smaller ones the system takes at once, however slow the caller is.
	weighty = 128 << 10
	// defaultAnswers is how much memory weighty answers may take where nothing else is said.
	defaultAnswers = 64 << 20
)

// taking is a weighty response that is on its way.
type taking struct {
	response *read.Response
	answer   *outbound.Answer
}

// Close implements io.Closer.
func (t *taking) Close() error {
	t.answer.End()
	t.response.Release()
	return nil
}

// sent is a response that is on its way. The server closes the values of a request once its answer is written.
type sent read.Response

// Close implements io.Closer.
func (r *sent) Close() error {
	(*read.Response)(r).Release()
	return nil
}

// countedUnder is what the reads of a project count under. All projects that are not held here count as one, or a caller would only
// need to make names up; so does one whose public API is off, or it could be told from those, unless a key that reaches it is shown.
func (s *Server) countedUnder(project *read.Project, authorization string) content.ProjectID {
	if project == nil || !project.PublicAPIEnabled && !s.reaches(authorization, project) {
		return ""
	}
	return project.ID
}

// reaches reports whether a good key for a project is shown, as far as this edge knows keys: no one else is asked for what was
// not counted.
func (s *Server) reaches(authorization string, project *read.Project) bool {
	secret, present, err := credential.Bearer(authorization)
	if err != nil || !present || secret.Kind != credential.APIKey {
		return false
	}
	grant, err := s.Keys.Grant(context.Background(), secret.PublicID)
	return err == nil && grant != nil && secret.Matches(grant.Hash) && grant.Live(s.Engine.Now()) &&
		grant.Reaches(project.Organization, project.ID)
}

// checkRateLimit counts a read under its caller and project.
func (s *Server) checkRateLimit(ctx *fasthttp.RequestCtx, project content.ProjectID, client netip.Addr) error {
	d := s.Limiter.Allow(client, string(project))
	s.writeLimit(ctx, d)
	if d.Allowed {
		return nil
	}
	return &fault.Error{Code: fault.RateLimited, Detail: "too many reads from this address", RetryAfter: d.RetryAfter}
}

func (s *Server) send(ctx *fasthttp.RequestCtx, response *read.Response) {
	ctx.SetStatusCode(response.Status)
	out := &ctx.Response.Header
	write(ctx, response.Headers)
	if age, stale := s.Status.Stale(); stale {
		setHeader(out, "Svc-Stale", strconv.FormatInt(int64(age/time.Second), 10))
	}
	if ctx.IsHead() {
		ctx.Response.SkipBody = true
		if response.Rights == nil { // events have no length
			out.SetContentLength(len(response.Body))
		}
		return
	}
	if len(response.Body) > large {
		if err := ctx.SetWriteDeadline(time.Now().Add(s.Pace.forSize(len(response.Body)))); err != nil {
			ctx.SetConnectionClose()
		}
	}
	ctx.Response.SetBodyRaw(response.Body)
}

// writeLimit tells the caller where it stands, in the fields of the IETF draft.
func (s *Server) writeLimit(ctx *fasthttp.RequestCtx, d limit.Decision) {
	out := &ctx.Response.Header
	setHeader(out, "Ratelimit-Policy", s.Limiter.PolicyHeader())
	var room [64]byte
	b := append(room[:0], `"reads";r=`...)
	b = strconv.AppendInt(b, int64(d.Remaining), 10)
	b = append(b, ";t="...)
	b = strconv.AppendInt(b, int64((d.Reset+time.Second-1)/time.Second), 10)
	out.SetCanonical([]byte("Ratelimit"), b)
}

// readable gives a refusal of a read that the engine did not make what all answers of a public route carry, so that browsers can
// read it. Where no one can tell what was asked for, that is less.
func (s *Server) readable(ctx *fasthttp.RequestCtx) {
	out := &ctx.Response.Header
	if ctx.Response.StatusCode() < fasthttp.StatusBadRequest || len(out.Peek("Vary")) > 0 {
		return
	}
	t, err := parseTarget(ctx.Request.Header.RequestURI())
	if string(t.path) == read.ResolvePath {
		write(ctx, read.ResolveHeaders(view(ctx.Method())))
	}
	a, ok := read.ParsePath(t.path)
	if err != nil || ok && (isRead(ctx) || ctx.Response.StatusCode() == fasthttp.StatusMethodNotAllowed) {
		s.common(ctx, a, t.query)
	}
}

// common gives an answer the headers of a public route. No project has an empty name, which stands for not knowing.
func (s *Server) common(ctx *fasthttp.RequestCtx, a read.Path, rawQuery []byte) {
	h := &ctx.Request.Header
	asked := &read.Request{
		Method: view(ctx.Method()), Route: a.Route, Project: a.Project, RawQuery: view(rawQuery),
		Authorization: joined(h, fasthttp.HeaderAuthorization), Origin: joined(h, fasthttp.HeaderOrigin),
	}
	write(ctx, s.Engine.Headers(context.Background(), asked))
}

func write(ctx *fasthttp.RequestCtx, headers []problem.Header) {
	for _, h := range headers {
		setHeader(&ctx.Response.Header, h.Name, h.Value)
	}
}

// setHeader sets a header whose name is in canonical form. fasthttp copies both.
func setHeader(out *fasthttp.ResponseHeader, name, value string) {
	out.SetCanonical([]byte(name), []byte(value))
}

// optional is joined for a header whose empty value is not the same as none, which is nil.
func optional(h *fasthttp.RequestHeader, name string) *string {
	if len(h.PeekAll(name)) == 0 {
		return nil
	}
	value := joined(h, name)
	return &value
}

// joined is the value of a header, whose name is in canonical form; several of one name are one list.
func joined(h *fasthttp.RequestHeader, name string) string {
	first := h.PeekCanonical([]byte(name))
	if len(first) == 0 {
		return ""
	}
	all := h.PeekAll(name)
	if len(all) == 1 {
		return view(first)
	}
	var b []byte
	for i, v := range all {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, v...)
	}
	return view(b)
}

// view is b as a string without a copy; it is good while the request is.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
