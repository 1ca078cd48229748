//go:build !linux

package server

import (
	"net"
	"time"
)

// abortWhenUnacknowledged does nothing where the system has no such bound.
func abortWhenUnacknowledged(net.Conn, time.Duration) {}
