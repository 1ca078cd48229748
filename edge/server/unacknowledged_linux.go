package server

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// abortWhenUnacknowledged has the system give a connection up when its other end acknowledges nothing of what was sent for a time.
// A reader that vanished takes short comments for ever otherwise: they fit the buffer of the socket, and no write has to wait.
func abortWhenUnacknowledged(conn net.Conn, after time.Duration) {
	tcp, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	// Where it cannot be set, the system gives up later by itself.
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(after/time.Millisecond))
	})
}
