package local

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// fixedPorts is what SVC_LOCAL_PORTS counts through: the first port belongs to the first part.
var fixedPorts = []string{
	"core", "edge-1", "edge-2", "postgres", "nats", "redis", "s3", adminOf("core"), adminOf("edge-1"), adminOf("edge-2"),
}

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

// given are the free ports that this process gave to its stacks. None is given twice: a part opens its port later than the port is
// found free, and closes it while the part restarts.
var given sync.Map

// portOf gives a part its port: the fixed one where there is one, with an error if it is taken, else a free one.
func portOf(first int, name string) (int, error) {
	if first != 0 {
		for i, part := range fixedPorts {
			if part == name {
				return first + i, probePort(first + i)
			}
		}
	}
	for range 200 {
		port := lowestFreePort + rand.IntN(highestFreePort-lowestFreePort)
		if probePort(port) != nil {
			continue
		}
		if _, again := given.LoadOrStore(port, true); !again {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port for %s between %d and %d", name, lowestFreePort, highestFreePort)
}

// Listen opens a listener at an address of the loopback; where none is named, on a free port that Linux gives to no outgoing
// connection, so that one can be opened there again after it was closed.
func Listen(at string) (net.Listener, error) {
	if at == "" {
		port, err := portOf(0, "a listener")
		if err != nil {
			return nil, err
		}
		at = address(port)
	}
	return net.Listen("tcp4", at)
}

// probePort tells whether a server could listen on the port now.
func probePort(port int) error {
	listener, err := net.Listen("tcp4", address(port))
	if err != nil {
		return err
	}
	return listener.Close()
}

// takePorts gives every part its ports. All that other programs hold are named in one error, with what to do about it.
func (s *Stack) takePorts() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken []string
	var faults []error
	for _, name := range s.listeners() {
		port, err := portOf(s.cfg.Ports, name)
		s.ports[name] = port
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			taken = append(taken, fmt.Sprintf("%d (%s)", port, name))
		case err != nil:
			faults = append(faults, fmt.Errorf("port of %s: %w", name, err))
		}
	}
	if len(taken) > 0 {
		faults = append(faults, fmt.Errorf("other programs hold the ports %s: stop them, or set SVC_LOCAL_PORTS to the first of "+
			"%d free consecutive ports, such as SVC_LOCAL_PORTS=%d", strings.Join(taken, ", "), len(fixedPorts), suggestPorts()))
	}
	return errors.Join(faults...)
}

// listeners names everything that needs a port: the parts, and where core and edges serve their operators.
func (s *Stack) listeners() []string {
	var listeners []string
	for _, name := range s.names() {
		listeners = append(listeners, name)
		if servesOperators(name) {
			listeners = append(listeners, adminOf(name))
		}
	}
	return listeners
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
