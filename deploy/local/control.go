package local

import (
	"context"
	"fmt"
	"strings"
	"syscall"

	"svc/deploy/local/process"
)

// find returns the runner of a part.
func (s *Stack) find(name string) (*runner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runners {
		if r.part.name == name {
			return r, nil
		}
	}
	return nil, s.noPart(name)
}

func (s *Stack) noPart(name string) error {
	return fmt.Errorf("the stack has no part %q: it has %s", name, strings.Join(s.names(), ", "))
}

// StopPart ends a part gracefully. It stays down until StartPart.
func (s *Stack) StopPart(name string) error {
	r, err := s.find(name)
	if err == nil {
		r.stop()
	}
	return err
}

// KillPart ends a part by SIGKILL. It stays down until StartPart.
func (s *Stack) KillPart(name string) error {
	r, err := s.find(name)
	if err == nil {
		r.kill()
	}
	return err
}

// StartPart starts a part that was stopped or killed and returns when it is ready. One that runs stays as it is, and one
// that has just ended and is brought back is waited for. A part that was down and does not start stays down.
func (s *Stack) StartPart(ctx context.Context, name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	if err := r.start(ctx); err != nil {
		return fmt.Errorf("%s stays down until it is started again: %w", name, err)
	}
	return r.awaitUp(ctx)
}

// Signal sends a signal to a part, which stays supervised: after SIGKILL it comes back by itself, after SIGSTOP it hangs
// until SIGCONT.
func (s *Stack) Signal(name string, signal syscall.Signal) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	return r.signal(signal)
}

// Pid is the process id of a running part.
func (s *Stack) Pid(name string) (int, error) {
	r, err := s.find(name)
	if err != nil {
		return 0, err
	}
	return r.pid()
}

// Pause makes a part hang, alive and silent, with all its processes, until Resume.
func (s *Stack) Pause(name string) error { return s.signalAll(name, syscall.SIGSTOP) }

// Resume lets a paused part go on where it was.
func (s *Stack) Resume(name string) error { return s.signalAll(name, syscall.SIGCONT) }

func (s *Stack) signalAll(name string, signal syscall.Signal) error {
	pid, err := s.Pid(name)
	if err != nil {
		return err
	}
	return process.SignalTree(pid, signal)
}
