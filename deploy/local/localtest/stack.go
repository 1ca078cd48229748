package localtest

import (
	"context"
	"os"
	"slices"
	"testing"

	"svc/deploy/local"
)

// Stack starts a deployment that only this test uses, on free ports: everything, or the parts that the configuration
// lists. Its directory, programs and speed are set here unless the configuration sets them. It is stopped and removed
// when the test ends; what a failed test reported and the end of its logs are shown then.
func Stack(t testing.TB, cfg local.Config) *local.Stack {
	t.Helper()
	if cfg.Bin == "" {
		cfg.Bin = programs(t, cfg.Parts)
	}
	if cfg.Dir == "" {
		cfg.Dir = openDir(t)
	}
	if cfg.Report == nil {
		cfg.Report = t.Output()
	}
	cfg.Throwaway = true
	stack, err := local.New(cfg)
	if err != nil {
		t.Fatalf("prepare a deployment: %v", err)
	}
	if err := stack.Start(t.Context()); err != nil {
		t.Fatalf("start a deployment: %v", err)
	}
	t.Cleanup(func() {
		if err := stack.Stop(context.Background()); err != nil {
			t.Errorf("stop the deployment: %v", err)
		}
		if t.Failed() {
			t.Log(stack.LogTails(20))
		}
		if err := stack.Remove(); err != nil {
			t.Errorf("remove the deployment: %v", err)
		}
	})
	return stack
}

func programs(t testing.TB, parts []local.Kind) string {
	t.Helper()
	find := Bin
	if len(parts) == 0 || slices.Contains(parts, local.Core) || slices.Contains(parts, local.Edge) {
		find = Programs
	}
	bin, err := find()
	if err != nil {
		t.Fatalf("programs of the deployment: %v", err)
	}
	return bin
}

// openDir is a temporary directory that the user PostgreSQL runs as may enter, which t.TempDir is not.
func openDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-test-")
	if err != nil {
		t.Fatalf("directory of a deployment: %v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatalf("directory of a deployment: %v", err)
	}
	return dir
}
