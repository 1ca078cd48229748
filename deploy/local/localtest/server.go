package localtest

import (
	"context"
	"sync"
	"testing"
	"time"

	"svc/deploy/local"
)

// Server is a service that only one test uses and may ill-treat.
type Server struct {
	// URL leads to it and stays the same when it is started again.
	URL   string
	stack *local.Stack
	name  string
}

// NATS returns the address of a NATS server with JetStream that only this test uses, so streams may have any name.
func NATS(t testing.TB) string {
	t.Helper()
	return StartNATS(t).URL
}

// StartNATS is NATS for tests that stop the server, kill it and start it again.
func StartNATS(t testing.TB) *Server { t.Helper(); return start(t, local.NATS) }

// StartRedis is Redis for tests that stop the server, kill it and start it again. It holds nothing on disk.
func StartRedis(t testing.TB) *Server { t.Helper(); return start(t, local.Redis) }

// StartPostgres starts a cluster of its own, for tests that kill it. All others are faster off with Postgres.
func StartPostgres(t testing.TB) *Server { t.Helper(); return start(t, local.Postgres) }

func start(t testing.TB, kind local.Kind) *Server {
	t.Helper()
	stack := Stack(t, local.Config{Parts: []local.Kind{kind}})
	return &Server{URL: stack.ServiceURL(kind), stack: stack, name: string(kind)}
}

// Stop ends the server gracefully. It stays down until Start.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if err := s.stack.StopPart(s.name); err != nil {
		t.Fatalf("stop %s: %v", s.name, err)
	}
}

// Kill ends the server as a power cut would. It stays down until Start.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if err := s.stack.KillPart(s.name); err != nil {
		t.Fatalf("kill %s: %v", s.name, err)
	}
}

// Pause makes the server hang, alive and silent, until the returned function or the end of the test lets it go on.
func (s *Server) Pause(t testing.TB) (resume func()) {
	t.Helper()
	if err := s.stack.Pause(s.name); err != nil {
		t.Fatalf("pause %s: %v", s.name, err)
	}
	resume = sync.OnceFunc(func() {
		if err := s.stack.Resume(s.name); err != nil {
			t.Errorf("resume %s: %v", s.name, err)
		}
	})
	t.Cleanup(resume)
	return resume
}

// Start brings a stopped or killed server back, with the data it had, and returns when it serves.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.stack.StartPart(ctx, s.name); err != nil {
		t.Fatalf("start %s: %v", s.name, err)
	}
}
