package localtest

import (
	"net"
	"testing"

	"svc/deploy/local"
)

// Listen opens a listener at address, or at one of its own where that is empty: on a port of the loopback that no outgoing
// connection of this machine is given, so that it is still free when the one who listened there comes back to it.
func Listen(t testing.TB, address string) net.Listener {
	t.Helper()
	l, err := local.Listen(address)
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	return l
}
