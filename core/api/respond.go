package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"svc/core/postgres"
	"svc/shared/fault"
	"svc/shared/problem"
)

// write sends an answer.
func (s *Server) write(g *gin.Context, r reply) {
	body, err := r.encode()
	if err != nil {
		s.problem(g, fault.Wrap(err, "encoding an answer"))
		return
	}
	g.Header("Cache-Control", "no-store")
	if body != nil {
		g.Header("Content-Type", typeJSON)
	}
	s.give(g, r.status, body, len(body))
}

// kept is an answer that was encoded before.
type kept []byte

// encode returns the body; nil where there is none.
func (r reply) encode() ([]byte, error) {
	switch body := r.body.(type) {
	case nil:
		return nil, nil
	case kept:
		return body, nil
	}
	return json.Marshal(r.body, json.Deterministic(true))
}

// statusLeft is how requests are counted whose callers left: they are no failures of the service. No one is there to read
// it, unless only the half of the connection was closed.
const statusLeft = 499

// problem sends a failure and, where it is the service's own, logs its cause once.
func (s *Server) problem(g *gin.Context, err error) { s.problemAs(g, 0, err) }

// problemAs is problem under another status than that of the code.
func (s *Server) problemAs(g *gin.Context, status int, err error) {
	err = postgres.Unavailable(err)
	s.report(g, err)
	if g.Request.Context().Err() != nil && fault.As(err).Code == fault.Internal {
		status, err = statusLeft, &fault.Error{Code: fault.Unavailable, Detail: "the caller went away before there was an answer", Err: err}
	}
	answer := problem.RenderAs(status, err, requestID(g))
	for _, h := range answer.Headers {
		g.Header(h.Name, h.Value)
	}
	s.readable(g, answer.Status)
	s.give(g, answer.Status, answer.Body, len(answer.Body))
}

// report logs a failure as loud as it deserves: a caller who left is none, and what comes right by itself is a warning.
func (s *Server) report(g *gin.Context, err error) {
	about := []any{"requestId", requestID(g), "method", g.Request.Method, "path", g.FullPath(), "error", err}
	switch code := fault.As(err).Code; {
	case g.Request.Context().Err() != nil:
		s.Logger.Debug("a caller went away", about...)
	case code == fault.Internal:
		s.Logger.Error("a request failed", about...)
	case code == fault.Unavailable:
		s.Logger.Warn("a request could not be served", about...)
	}
}

// weighty is the size from which an answer counts: what smaller ones take is bounded by the number of connections.
const weighty = 16 << 10

// give sends an answer for which so many bytes stay in memory until it is taken, unless too many are on their way.
func (s *Server) give(g *gin.Context, status int, body []byte, held int) {
	if held < weighty || g.Request.Method == http.MethodHead {
		send(g, status, body)
		return
	}
	allowTime(g, body) // before it counts: it would undo being cut off
	conn := http.NewResponseController(g.Writer)
	t := s.outbound.Begin(held, changes(g.Request.Method), func() {
		_ = conn.SetWriteDeadline(time.Now()) // a connection that cannot be told is one that is gone
	})
	if t == nil {
		for _, name := range []string{"Content-Encoding", "Content-Location", "Etag"} {
			g.Writer.Header().Del(name)
		}
		s.problem(g, busy("too many large answers are being sent; try again shortly"))
		return
	}
	defer func() {
		if t.End() { // from here on the connection may have another request
			s.Logger.Warn("a caller who was slow to take a large answer was cut off for others", "requestId", requestID(g),
				"method", g.Request.Method, "path", g.FullPath(), "bytes", held)
		}
	}()
	deliver(g, status, body)
}

// changes reports whether a request by this method has had an effect when it is answered.
func changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// send writes a body that is not worth counting.
func send(g *gin.Context, status int, body []byte) {
	allowTime(g, body)
	deliver(g, status, body)
}

// allowTime gives a caller the time to take a body.
func allowTime(g *gin.Context, body []byte) {
	// A connection that cannot be told is one that is gone.
	_ = http.NewResponseController(g.Writer).SetWriteDeadline(time.Now().Add(takeTime(len(body))))
}

// deliver writes a body with its length; to HEAD the length alone.
func deliver(g *gin.Context, status int, body []byte) {
	if body != nil {
		g.Header("Content-Length", strconv.Itoa(len(body)))
	}
	g.Status(status)
	g.Writer.WriteHeaderNow()
	if g.Request.Method != http.MethodHead {
		_, _ = g.Writer.Write(body) // a caller who went away is no failure
	}
}
