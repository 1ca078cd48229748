package local

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// fixedPorts is what SVC_LOCAL_PORTS counts through: the first port belongs to the first part.
var fixedPorts = []string{"core", "edge-1", "edge-2", "postgres", "nats", "redis", "s3"}

// Free ports are looked for below the range that Linux gives to outgoing connections, so that a part that was killed finds
// its port free again.
const (
	lowestFreePort  = 15000
	highestFreePort = 32000
)

const loopback = "127.0.0.1"

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// port is the port of a part, once the stack has taken its ports.
func (s *Stack) port(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ports[name]
}

func (s *Stack) address(name string) string { return address(s.port(name)) }

// portOf gives a part its port: the fixed one where there is one, else a free one.
func portOf(first int, name string, taken map[int]bool) (int, error) {
	if first != 0 {
		for i, part := range fixedPorts {
			if part == name {
				return first + i, nil
			}
		}
	}
	for range 200 {
		port := lowestFreePort + rand.IntN(highestFreePort-lowestFreePort)
		if !taken[port] && probePort(port) == nil {
			taken[port] = true
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port for %s between %d and %d", name, lowestFreePort, highestFreePort)
}

// probePort tells whether a server could listen on the port now.
func probePort(port int) error {
	listener, err := net.Listen("tcp4", address(port))
	if err != nil {
		return err
	}
	return listener.Close()
}

// checkPort explains what to do when a port cannot be had.
func checkPort(name string, port int) error {
	err := probePort(port)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d, which %s needs, is taken by another program: stop it, or set SVC_LOCAL_PORTS to the first "+
			"of %d free consecutive ports, such as SVC_LOCAL_PORTS=%d", port, name, len(fixedPorts), suggestPorts())
	}
	if err != nil {
		return fmt.Errorf("port %d of %s: %w", port, name, err)
	}
	return nil
}

// suggestPorts finds a first port whose whole run is free now.
func suggestPorts() int {
	for first := 7500; first < 9900; first += 100 {
		free := true
		for i := range fixedPorts {
			free = free && probePort(first+i) == nil
		}
		if free {
			return first
		}
	}
	return 17400
}
