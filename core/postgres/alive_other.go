//go:build !unix

package postgres

import "net"

// readable is not known here: connections are asked when they have rested.
func readable(net.Conn) bool { return false }
