package core

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// What a connection may take of core. The API itself decides how slowly bodies may come and answers be taken, and
// moves the deadlines of its connection along.
const (
	headerTimeout = 15 * time.Second // to send the head of a request
	readTimeout   = time.Minute      // to send what nobody reads
	writeTimeout  = 10 * time.Minute // to take an answer
	idleTimeout   = 75 * time.Second
	maxHeader     = 16 << 10 // bytes, and a little more
	stopTimeout   = 25 * time.Second
)

func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
	}
}

// serveHTTP serves until ctx ends, then lets requests finish.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	server := newServer(h)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	err := server.Shutdown(stopping)
	if serveErr := <-done; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}
