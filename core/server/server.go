// Package server is the HTTP server of core around the handler of the API: bounds on connections, refusals of what is not
// HTTP, and a stop that loses no request.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"svc/shared/connections"
)

// What a connection may take of core. The API itself decides how slowly bodies may come and answers be taken, and
// moves the deadlines of its connection along.
const (
	headerTimeout = 15 * time.Second // to send the head of a request
	readTimeout   = time.Minute      // to send what is not read
	writeTimeout  = 10 * time.Minute // to take an answer
	idleTimeout   = 75 * time.Second
	stopTimeout   = 25 * time.Second // for requests that are under way
	settleTimeout = time.Second      // for callers to let go of connections that rest
	// maxHeader is more than the API takes of a caller, since edges add to what they pass on.
	maxHeader = 32 << 10
	// mostConnections bounds the connections; where more come, those that rest longest are closed.
	mostConnections = 8192
)

// Server is the HTTP side of core.
type Server struct {
	handler http.Handler
	logger  *slog.Logger
	// drain is how long a server that is told to stop goes on taking requests.
	drain       time.Duration
	header      time.Duration
	stopping    atomic.Bool
	connections *connections.Set
}

// New returns a server that goes on taking requests for drain when it is told to stop.
func New(h http.Handler, drain time.Duration, logger *slog.Logger) *Server {
	return &Server{handler: h, logger: logger, drain: drain, header: headerTimeout, connections: connections.New(mostConnections)}
}

// Serve answers until ctx ends. Then it goes on for the time to drain, takes no more connections, and lets requests
// finish. Callers learn with every answer that the connection ends, so that they do not ask on one that is closing.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	l = &listener{Listener: l, logger: s.logger, connections: s.connections}
	inner := s.http()
	done := make(chan error, 1)
	go func() { done <- inner.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	select {
	case err := <-done:
		return err
	case <-time.After(s.drain):
	}
	return s.stop(inner, l, done)
}

func (s *Server) http() *http.Server {
	return &http.Server{
		Handler: http.HandlerFunc(s.answer), ReadHeaderTimeout: s.header, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ConnState: s.track, ConnContext: withConnection,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug), // it is about connections
	}
}

// track is the server's ConnState hook.
func (s *Server) track(conn net.Conn, state http.ConnState) {
	switch one, ok := conn.(*connection); {
	case state == http.StateActive:
		s.connections.Use(conn)
	case state == http.StateIdle && ok:
		one.heard.Store(false)
		one.answering.Store(false)
	}
	s.connections.Track(conn, state)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if c := connectionOf(r.Context()); c != nil {
		c.answering.Store(true)
	}
	if s.stopping.Load() {
		w.Header().Set("Connection", "close")
	}
	s.handler.ServeHTTP(w, r)
}

// Unready is why a server should get no traffic.
func (s *Server) Unready() []string {
	if s.stopping.Load() {
		return []string{"stopping"}
	}
	return nil
}

// stop closes what rests only after callers had a moment to go by themselves: net/http drops a request that comes in
// while it shuts down.
func (s *Server) stop(inner *http.Server, l net.Listener, done <-chan error) error {
	err := l.Close()
	if serveErr := <-done; !errors.Is(serveErr, net.ErrClosed) {
		err = errors.Join(err, serveErr)
	}
	s.connections.Drain(settleTimeout)
	grace, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if stopErr := inner.Shutdown(grace); stopErr != nil && !errors.Is(stopErr, net.ErrClosed) {
		err = errors.Join(err, fmt.Errorf("requests were still under way after %s: %w", stopTimeout, stopErr), inner.Close())
	}
	return err
}
