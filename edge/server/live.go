package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"svc/edge/live"
	"svc/edge/origin"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// eventStream is a reader who follows the live events of a project. It has the connection for itself: fasthttp has its buffers
// back, and what is left are a goroutine that waits and the strings of its request.
type eventStream struct {
	server              *Server
	conn                net.Conn
	project             content.ProjectID
	authorization, last string // headers of the request
	requestID           string
}

// follow answers a read whose events go on after the head of the answer. Where there is no room for another stream, it is refused.
func (s *Server) follow(ctx *fasthttp.RequestCtx, response *read.Response, call origin.Call) {
	defer response.Release()
	if s.ended() || !s.connections.Hold(ctx.Conn()) {
		origin.WriteProblem(ctx, &fault.Error{
			Code: fault.Unavailable, RetryAfter: 5 * time.Second, Detail: "this edge has no room for another stream of live events; try again shortly",
		}, call.RequestID)
		return
	}
	h := &ctx.Request.Header
	e := &eventStream{
		server: s, conn: ctx.Conn(), project: response.Rights.Project, requestID: call.RequestID,
		authorization: strings.Clone(joined(h, fasthttp.HeaderAuthorization)), last: strings.Clone(joined(h, "Last-Event-Id")),
	}
	s.send(ctx, response)
	ctx.HijackSetNoResponse(true) // earlier answers on the connection are sent first
	ctx.Hijack(func(net.Conn) {
		head := &ctx.Response.Header
		head.SetContentLength(-2) // neither a length nor chunks: the answer ends with the connection
		go e.run(bytes.Clone(head.Header()))
	})
}

// run sends what happens until the stream ends.
func (e *eventStream) run(head []byte) {
	defer e.close()
	abortWhenUnacknowledged(e.conn, e.server.Pace.Stall)
	if !e.write(head) {
		return
	}
	subscription, held := e.server.Live.Subscribe(e.project, e.last)
	if !held {
		return
	}
	defer subscription.Close()
	comments := e.server.beats.comments()
	for {
		comment := comments.next() // before looking, so that none is missed
		tick := e.server.beats.tick.next()
		changed, keyed, ok := e.send(subscription)
		if !ok {
			return
		}
		if !keyed {
			tick = nil // what strangers may read ends by a change alone
		}
		select {
		case <-changed:
		case <-tick:
		case <-comment:
			if !e.write([]byte(":\n\n")) {
				return
			}
		case <-e.server.ending:
			return
		}
	}
}

// send sends what came since the last time, each event by itself, as far as the caller may read it now; false ends the stream.
func (e *eventStream) send(from *live.Subscription) (changed <-chan struct{}, keyed, ok bool) {
	batch := from.Next()
	rights, err := e.server.Engine.Rights(context.Background(), e.project, e.authorization)
	if err != nil {
		return nil, false, false
	}
	if batch.Notice != live.NoNotice && !e.write(batch.Notice.Append(nil, batch.Position, rights)) {
		return nil, false, false
	}
	for _, event := range batch.Events {
		if shown := event.Append(nil, rights.Sees); len(shown) > 0 && !e.write(shown) {
			return nil, false, false
		}
	}
	return batch.Changed, rights.Keyed, true
}

// write writes to a reader who is given up when it takes nothing for too long.
func (e *eventStream) write(b []byte) bool {
	if err := e.conn.SetWriteDeadline(time.Now().Add(e.server.Pace.Stall)); err != nil {
		return false
	}
	_, err := e.conn.Write(b)
	return err == nil
}

func (e *eventStream) close() {
	if cause := recover(); cause != nil {
		e.server.Logger.Error("a stream of live events panicked", "requestId", e.requestID, "project", e.project,
			"cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	}
	_ = e.conn.Close() // whatever was written was taken by the system, or the reader is gone
	e.server.connections.Track(e.conn, http.StateClosed)
}

// endStreams ends all streams, and lets none begin.
func (s *Server) endStreams() {
	s.endOnce.Do(func() { close(s.ending) })
	s.connections.CloseHeld()
}

func (s *Server) ended() bool {
	select {
	case <-s.ending:
		return true
	default:
		return false
	}
}
