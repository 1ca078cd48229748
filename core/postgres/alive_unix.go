//go:build unix

package postgres

import (
	"crypto/tls"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// readable reports whether something can be read from a connection at once: bytes, its end or an error. It takes nothing.
func readable(conn net.Conn) bool {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	nothing := false
	// Not Read of the raw connection, which waits for other readers: after a large statement the driver leaves one waiting.
	err = raw.Control(func(fd uintptr) {
		var one [1]byte
		_, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		nothing = err == unix.EAGAIN || err == unix.EINTR
	})
	return err != nil || !nothing
}
