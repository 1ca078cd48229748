package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Serve answers connections of l until ctx ends. Then it goes on for the time to drain, takes no more connections,
// finishes the requests that are under way, and returns; with an error where some took longer than their grace. Event streams end
// with the listener: readers who come back then find another edge.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	l = &retryingListener{l, s}
	defer s.endStreams()
	go s.beats.run(s.Pace.Comment, s.ending)
	done := make(chan error, 1)
	go func() { done <- s.http.Serve(l) }()
	select {
	case err := <-done:
		s.connections.Close()
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	if s.Pace.Drain > 0 {
		time.Sleep(s.Pace.Drain)
	}
	return s.stop(l, done)
}

func (s *Server) stop(l net.Listener, done <-chan error) error {
	// A shutdown that came before serving had begun would close nothing.
	err := l.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	if serveErr := <-done; serveErr != nil && !errors.Is(serveErr, net.ErrClosed) {
		err = errors.Join(err, serveErr)
	}
	s.endStreams()
	s.connections.Drain(s.Pace.Settle) // answers tell callers to go, and a request may be on its way on any connection
	grace, cancel := context.WithTimeout(context.Background(), s.Pace.Grace)
	defer cancel()
	if stopErr := s.http.ShutdownWithContext(grace); stopErr != nil && !errors.Is(stopErr, net.ErrClosed) {
		err = errors.Join(err, fmt.Errorf("requests were still under way after %s: %w", s.Pace.Grace, stopErr))
		s.connections.Close()
		return err
	}
	return errors.Join(err, s.awaitOthers(grace))
}

// awaitOthers waits for what goes on outside the HTTP server: connections that it has handed over.
func (s *Server) awaitOthers(ctx context.Context) error {
	over := make(chan struct{})
	go func() {
		s.lingering.Wait()
		if s.Forwarder != nil {
			s.Forwarder.Wait()
		}
		close(over)
	}()
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("answers were still under way after %s: %w", s.Pace.Grace, ctx.Err())
	}
}

// retryingListener is a listener that outlives the lack of something, such as file descriptors: fasthttp would stop serving.
type retryingListener struct {
	net.Listener
	s *Server
}

// Accept waits for a connection, and where there is no room for one, for room.
func (l *retryingListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if tcp, ok := conn.(*net.TCPConn); ok {
			return newLazyConn(tcp), nil
		}
		if lack := syscall.Errno(0); err == nil || !errors.As(err, &lack) || !lack.Temporary() {
			return conn, err
		}
		l.s.Logger.Warn("cannot take a connection; trying again", "error", err)
		l.s.connections.Evict()
		time.Sleep(100 * time.Millisecond)
	}
}
