package local_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"svc/deploy/local/localtest"
	"svc/deploy/local/process"
)

// checkout is a folder in which `make run` goes on in the background.
type checkout struct {
	dir string
	// home is the directory of its stack, as SVC_LOCAL_DIR names it.
	home   string
	run    *exec.Cmd
	events *journal
}

// startCheckout runs an empty stack as another process, like the Makefile does, and waits until it is ready.
func startCheckout(t *testing.T, home string) checkout {
	t.Helper()
	programs, err := localtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	c := checkout{dir: stackDir(t), home: home, events: &journal{news: make(chan struct{}, 1)}}
	if err := os.Symlink(programs, filepath.Join(c.dir, "bin")); err != nil {
		t.Fatal(err)
	}
	c.run = c.command("bin/local run")
	c.run.Stdout, c.run.Stderr = c.events, c.events
	if err := c.run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// It has ended already unless the test failed.
		_ = c.run.Process.Kill()
		_ = c.run.Wait()
	})
	c.events.await(t, "Ctrl-C")
	return c
}

// command is a line as somebody types it in the folder.
func (c checkout) command(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", "exec "+line)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "SVC_LOCAL_DIR="+c.home, "SVC_LOCAL_PORTS=0", "SVC_LOCAL_SEED=none")
	return cmd
}

// must runs a line that has to succeed and returns what it prints.
func (c checkout) must(t *testing.T, line string) string {
	t.Helper()
	cmd := c.command(line)
	var printed, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", line, err, printed.String(), said.String())
	}
	return printed.String()
}

// refused runs a line that has to fail and returns what it complains of.
func (c checkout) refused(t *testing.T, line string) string {
	t.Helper()
	printed, err := c.command(line).CombinedOutput()
	if err == nil {
		t.Errorf("%s succeeded: %s", line, printed)
	}
	return string(printed)
}

// killPart ends a part of another process's stack by force.
func killPart(home, name string) error {
	parts, err := process.Leftovers(home)
	for _, part := range parts {
		if part.Name == name {
			err = errors.Join(err, syscall.Kill(part.Pid, syscall.SIGKILL))
		}
	}
	return err
}
