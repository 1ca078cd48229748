package localtest

import (
	"context"
	"os"
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
	bin, err := Bin()
	if err != nil {
		t.Fatalf("programs of the local stack: %v", err)
	}
	stack, err := local.New(local.Config{
		Dir: openDir(t), Bin: bin, Parts: []local.Kind{kind}, Throwaway: true,
	})
	if err != nil {
		t.Fatalf("prepare %s: %v", kind, err)
	}
	if err := stack.Start(t.Context()); err != nil {
		t.Fatalf("start %s: %v", kind, err)
	}
	t.Cleanup(func() {
		if err := stack.Stop(context.Background()); err != nil {
			t.Errorf("stop %s: %v", kind, err)
		}
		if err := stack.Remove(); err != nil {
			t.Errorf("remove %s: %v", kind, err)
		}
	})
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

// Start brings a stopped or killed server back, with the data it had, and returns when it serves.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.stack.StartPart(ctx, s.name); err != nil {
		t.Fatalf("start %s: %v", s.name, err)
	}
}

// openDir is a temporary directory that the user PostgreSQL runs as may enter, which t.TempDir is not.
func openDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-test-")
	if err != nil {
		t.Fatalf("directory of a server: %v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatalf("directory of a server: %v", err)
	}
	return dir
}
