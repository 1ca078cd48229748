package local_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

// superviseDir makes the test program a supervisor of the services in that directory, for tests that kill one.
const superviseDir = "SVC_LOCAL_TEST_SUPERVISE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(superviseDir); dir != "" {
		if err := supervise(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// supervise starts the services, says so, and waits to be killed.
func supervise(dir string) error {
	stack, err := local.New(local.Config{
		Dir: dir, Bin: os.Getenv(local.TestBin), Parts: services, Throwaway: true, Report: os.Stderr,
	})
	if err != nil {
		return err
	}
	if err := stack.Start(context.Background()); err != nil {
		return err
	}
	fmt.Println("ready")
	select {}
}

var services = []local.Kind{local.Postgres, local.NATS, local.Redis, local.S3}

// startSupervisor runs the test program as a supervisor and returns once its services are ready.
func startSupervisor(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), superviseDir+"="+dir, local.TestBin+"="+programs(t))
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	word := make([]byte, len("ready"))
	if _, err := out.Read(word); err != nil {
		t.Fatalf("the supervisor did not get ready: %v, %s", err, said.String())
	}
	return cmd
}

func programs(t *testing.T) string {
	t.Helper()
	bin, err := localtest.Bin()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// stackDir is a directory that the user PostgreSQL runs as may enter.
func stackDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-local-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start starts a stack in a directory; it is stopped when the test ends.
func start(t *testing.T, dir string, parts ...local.Kind) (*local.Stack, *journal) {
	t.Helper()
	events := &journal{news: make(chan struct{}, 1)}
	stack, err := local.New(local.Config{Dir: dir, Bin: programs(t), Parts: parts, Throwaway: true, Report: events})
	if err != nil {
		t.Fatal(err)
	}
	if err := stack.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return stack, events
}

// eventually waits for a condition that nothing signals.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("it never came true that %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func alive(pid int) bool {
	s := status(pid)
	return s != "" && !strings.Contains(s, ") Z ")
}

// status is what Linux says of a process; empty where there is none.
func status(pid int) string {
	text, _ := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat")) //nolint:errcheck // it is gone
	return string(text)
}
