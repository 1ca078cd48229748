package local_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/deploy/local"
	"svc/deploy/local/process"
)

func TestAPartThatDiesComesBackUntilTheStackStops(t *testing.T) {
	t.Parallel()
	stack, events := start(t, stackDir(t), services...)
	var pids []int
	for _, kind := range services {
		name := string(kind)
		before, err := stack.Pid(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := stack.Signal(name, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		events.await(t, name+" died (signal: killed); starting it again in 100ms")
		events.await(t, name+" is back")
		after, err := stack.Pid(name)
		if err != nil || after == before {
			t.Errorf("%s: process %d before, %d after, %v", name, before, after, err)
		}
		pids = append(pids, after)
	}
	if err := stack.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
	if err := stack.Stop(t.Context()); err != nil {
		t.Errorf("stopping twice: %v", err)
	}
}

func TestAStoppedPartStaysDownUntilItIsStarted(t *testing.T) {
	t.Parallel()
	stack, _ := start(t, stackDir(t), local.Redis)
	for _, stop := range []func(string) error{stack.StopPart, stack.KillPart} {
		if err := stop("redis"); err != nil {
			t.Fatal(err)
		}
		if _, err := stack.Pid("redis"); err == nil {
			t.Error("it runs")
		}
		if err := stack.StartPart(t.Context(), "redis"); err != nil {
			t.Fatal(err)
		}
		if _, err := stack.Pid("redis"); err != nil {
			t.Error(err)
		}
	}
}

// TestAnEndInOrderIsNotADeath: no one should look for a fault where a part was only told to end.
func TestAnEndInOrderIsNotADeath(t *testing.T) {
	t.Parallel()
	stack, events := start(t, stackDir(t), local.Redis)
	if err := stack.Signal("redis", syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	events.await(t, "redis stopped (exit status 0); starting it again in 100ms")
	events.await(t, "redis is back")
}

func execute(t *testing.T, stack *local.Stack, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), stack.ServiceURL(local.Postgres))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestASecondStackOfTheSameDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := stackDir(t)
	start(t, dir, local.Redis)
	second, err := local.New(local.Config{Dir: dir, Bin: programs(t), Parts: []local.Kind{local.Redis}})
	if err != nil {
		t.Fatal(err)
	}
	err = second.Start(t.Context())
	running := new(local.RunningError)
	if !errors.As(err, &running) || running.Pid != os.Getpid() {
		t.Fatalf("started a second time: %v", err)
	}
}

func TestAKilledSupervisorLeavesNothingThatHinders(t *testing.T) {
	t.Parallel()
	dir := stackDir(t)
	for range 2 {
		supervisor := startSupervisor(t, dir)
		children := childrenOf(t, dir)
		if len(children) < len(services) {
			t.Fatalf("only %d processes", len(children))
		}
		if err := supervisor.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// How a killed process ends is of no interest.
		_ = supervisor.Wait()
		for _, pid := range children {
			eventually(t, "a part ends with its supervisor", func() bool { return !alive(pid) })
		}
	}
	start(t, dir, services...)
}

// childrenOf lists the running parts of the stack in a directory.
func childrenOf(t *testing.T, dir string) []int {
	t.Helper()
	found, err := process.Leftovers(dir)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, leftover := range found {
		pids = append(pids, leftover.Pid)
	}
	return pids
}

func TestOnlyProcessesOfTheStackAreEnded(t *testing.T) {
	t.Parallel()
	dir := stackDir(t)
	sleeper := func(marker string) *exec.Cmd {
		cmd := exec.Command("sleep", "1000")
		cmd.Env = []string{"SVC_LOCAL_PART=" + marker}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd
	}
	ours, other := sleeper(dir+"#redis"), sleeper(dir+"-other#redis")
	_, events := start(t, dir, local.Redis)
	if err := ours.Wait(); err == nil || !strings.Contains(err.Error(), "terminated") {
		t.Errorf("what a killed stack left behind ended with %v", err)
	}
	if !alive(other.Process.Pid) {
		t.Error("a process of another stack was ended")
	}
	events.await(t, "ending redis")
}

// TestTakenPortsAreNamedInOneLine, each with the part that needs it.
func TestTakenPortsAreNamedInOneLine(t *testing.T) {
	first := local.SuggestPorts()
	// Redis is the sixth, S3 the seventh.
	for _, port := range []int{first + 5, first + 6} {
		taken, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
	}
	stack, err := local.New(local.Config{Dir: stackDir(t), Bin: programs(t), Parts: services, Ports: first})
	if err != nil {
		t.Fatal(err)
	}
	err = stack.Start(t.Context())
	want := fmt.Sprintf("the ports %d (redis), %d (s3): stop them, or set SVC_LOCAL_PORTS", first+5, first+6)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("started on taken ports: %v", err)
	}
}

// TestNoFreePortIsGivenTwice: a part opens its port later than the port is found free.
func TestNoFreePortIsGivenTwice(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 { // of 17,000: chance alone would repeat about 30
		l, err := local.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		if seen[l.Addr().String()] {
			t.Fatalf("%s was given before", l.Addr())
		}
		seen[l.Addr().String()] = true
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAPartThatCannotStartShowsItsLog(t *testing.T) {
	t.Parallel()
	dir := stackDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "nats"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "nats", "jetstream"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	stack, err := local.New(local.Config{Dir: dir, Bin: programs(t), Parts: []local.Kind{local.NATS, local.Redis}})
	if err != nil {
		t.Fatal(err)
	}
	err = stack.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "its log ends with") || !strings.Contains(err.Error(), "nats") {
		t.Errorf("started over a broken directory: %v", err)
	}
	if left := childrenOf(t, dir); len(left) > 0 {
		t.Errorf("a failed start left %v running", left)
	}
}

func TestSecretsAreForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := stackDir(t)
	start(t, dir, local.Redis)
	for _, file := range []string{"secrets.json", "redis/redis.conf"} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
}
