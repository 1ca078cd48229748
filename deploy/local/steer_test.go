package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// documented are the commands of a page that steer the stack of make run, as they are printed there.
func documented(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^ *(bin/local .*)$`).FindAllStringSubmatch(string(text), -1)
	if len(lines) < 3 {
		t.Fatalf("%s has only %d such commands", page, len(lines))
	}
	var commands []string
	for _, line := range lines {
		commands = append(commands, line[1])
	}
	return commands
}

func TestARunningStackIsSteered(t *testing.T) {
	t.Parallel()
	c := startCheckout(t, "var")
	t.Run("the commands of the pages work as they are printed", func(t *testing.T) {
		for _, page := range []string{"../docs/TOUR.md", "../OPERATIONS.md"} {
			for _, line := range documented(t, page) {
				c.must(t, line)
			}
		}
	})
	t.Run("a part stays down until it is started", func(t *testing.T) {
		if said := c.must(t, "bin/local stop edge-1"); !strings.Contains(said, "bin/local start edge-1") {
			t.Errorf("stopping says %s", said)
		}
		c.events.await(t, "edge-1 is down")
		settings := readSettings(t, filepath.Join(c.dir, c.home))
		c.refused(t, "curl -sS "+settings["SVC_EDGE_URL"]+"/healthz")
		c.must(t, "bin/local start edge-1")
		c.must(t, "curl -sSf "+settings["SVC_EDGE_URL"]+"/readyz")
	})
	t.Run("a part that does not stay up is not called ready", func(t *testing.T) {
		home := filepath.Join(c.dir, c.home)
		edge, aside := filepath.Join(home, "edge-2"), filepath.Join(home, "aside")
		if err := errors.Join(os.Rename(edge, aside), os.WriteFile(edge, nil, 0o600), killPart(home, "edge-2")); err != nil {
			t.Fatal(err)
		}
		c.events.await(t, "trying again")
		if said := c.refused(t, "bin/local start edge-2"); !strings.Contains(said, "again and again") {
			t.Errorf("starting says %s", said)
		}
		if err := errors.Join(os.Remove(edge), os.Rename(aside, edge)); err != nil {
			t.Fatal(err)
		}
		c.events.await(t, "edge-2 is back")
	})
	t.Run("a part that has just died is waited for", func(t *testing.T) {
		home := filepath.Join(c.dir, c.home)
		for _, part := range []string{"core", "edge-1", "redis"} {
			if err := killPart(home, part); err != nil {
				t.Fatal(err)
			}
			if said := c.must(t, "bin/local start "+part); !strings.Contains(said, part+" is ready") {
				t.Errorf("starting %s says %s", part, said)
			}
		}
	})
	t.Run("a part that does not start stays down, and its own lines are shown", func(t *testing.T) {
		c.must(t, "bin/local stop postgres")
		c.must(t, "bin/local stop core")
		said := c.refused(t, "bin/local start core")
		if !strings.Contains(said, "core stays down until it is started again") || !strings.Contains(said, "database") || strings.Contains(said, "shutting down") {
			t.Errorf("starting says %s", said)
		}
		c.must(t, "bin/local start postgres")
		c.must(t, "bin/local start core")
	})
	t.Run("metrics are where the settings and the summary say", func(t *testing.T) {
		settings := readSettings(t, filepath.Join(c.dir, c.home))
		for _, name := range []string{"SVC_CORE_METRICS_URL", "SVC_EDGE_METRICS_URL", "SVC_EDGE2_METRICS_URL"} {
			if text := c.must(t, "curl -sSf "+settings[name]); !strings.Contains(text, "svc_alarm") {
				t.Errorf("%s=%s shows no metrics", name, settings[name])
			}
			if !strings.Contains(c.events.String(), settings[name]) {
				t.Errorf("the summary does not show %s", settings[name])
			}
		}
	})
	t.Run("faults are told", func(t *testing.T) {
		c.refused(t, "bin/local stop edge-9")
		c.refused(t, "bin/local exec nats -- true")
		c.refused(t, "env SVC_LOCAL_DIR=no bin/local stop")
	})
	t.Run("a command keeps its exit code and the variables of its caller", func(t *testing.T) {
		said := c.must(t, `env MINE=here bin/local exec edge-2 -- sh -c 'echo $MINE $SVC_EDGE_ID'`)
		if said != "here edge-2\n" {
			t.Errorf("it printed %q", said)
		}
		cmd := c.command("bin/local exec core -- sh -c 'exit 7'")
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("exit code %d, %v", cmd.ProcessState.ExitCode(), err)
		}
	})
	t.Run("the socket is its owner's alone", func(t *testing.T) {
		info, err := os.Stat(filepath.Join(c.dir, c.home, "control.sock"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	})
	t.Run("stop returns when everything has ended", func(t *testing.T) {
		c.must(t, "bin/local stop")
		if left := childrenOf(t, filepath.Join(c.dir, c.home)); len(left) > 0 {
			t.Errorf("%v still run", left)
		}
		c.events.await(t, "stopped; the data stays in var")
		if _, err := os.Stat(filepath.Join(c.dir, c.home, "control.sock")); err == nil {
			t.Error("the socket is still there")
		}
		if err := c.run.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
}

// TestASocketThatAKilledStackLeftHindersNoOne, in a directory with a longer name than a socket may have.
func TestASocketThatAKilledStackLeftHindersNoOne(t *testing.T) {
	t.Parallel()
	c := startCheckout(t, strings.Repeat("long-", 24))
	if err := c.run.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// How a killed process ends is of no interest.
	_ = c.run.Wait()
	if said := c.refused(t, "bin/local start edge-1"); !strings.Contains(said, "no stack runs") {
		t.Errorf("a killed stack: %s", said)
	}
	if _, err := os.Stat(filepath.Join(c.dir, c.home, "control.sock")); err != nil {
		t.Fatalf("it left no socket: %v", err)
	}
	again := c.command("bin/local run")
	events := &journal{news: make(chan struct{}, 1)}
	again.Stdout, again.Stderr = events, events
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	events.await(t, "Ctrl-C")
	c.must(t, "bin/local start edge-1")
	c.must(t, "bin/local stop")
	if err := again.Wait(); err != nil {
		t.Error(err)
	}
}
