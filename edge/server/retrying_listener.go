package server

import (
	"errors"
	"log/slog"
	"net"
	"syscall"
	"time"
)

// retryingListener is a listener that outlives the lack of something, such as file descriptors: fasthttp would stop serving.
type retryingListener struct {
	net.Listener
	connections *connections
	logger      *slog.Logger
}

// Accept waits for a connection, and where there is no room for one, for room.
func (p *retryingListener) Accept() (net.Conn, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		conn, err := p.Listener.Accept()
		if err == nil || !passes(err) {
			return conn, err
		}
		p.logger.Warn("cannot take a connection; trying again", "error", err)
		p.connections.evict()
		time.Sleep(wait)
	}
}

// passes tells whether an error of accept says nothing of the listener.
func passes(err error) bool {
	for _, lack := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR,
	} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}
