package dsl

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
)

// spinning starts a child that evaluates an endless loop, and returns once it does.
func spinning(t *testing.T) *child {
	t.Helper()
	c, err := startChild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := Options{}.budget()
	input, err := json.Marshal(request{
		Files: []source{{Path: "a.ts", Text: "for (;;) {}"}}, TimeMillis: b.time.Milliseconds(), MemoryBytes: b.memory,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.stdin.Write(input); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(c.stdout).ReadString('\n'); err != nil || !strings.Contains(said, `"a.ts"`) {
		t.Fatalf("the child says %q, %v", said, err)
	}
	return c
}

func TestTheChildCanOpenNothingAndKnowsNothing(t *testing.T) {
	t.Parallel()
	c := spinning(t)
	proc := filepath.Join("/proc", strconv.Itoa(c.cmd.Process.Pid))
	environment, err := os.ReadFile(filepath.Join(proc, "environ"))
	if err != nil || len(environment) > 0 && !underRace {
		t.Errorf("its environment is %q, %v", environment, err)
	}
	limits, err := os.ReadFile(filepath.Join(proc, "limits"))
	if err != nil {
		t.Fatal(err)
	}
	for name, most := range map[string]uint64{
		"Max open files": 0, "Max file size": 0, "Max core file size": 0, "Max cpu time": 10, "Max data size": 1 << 50,
	} {
		if underRace && name == "Max data size" {
			continue
		}
		_, rest, found := strings.Cut(string(limits), name)
		fields := strings.Fields(rest)
		if !found || len(fields) < 2 {
			t.Fatalf("there is no %s in\n%s", name, limits)
		}
		soft, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil || soft > most || fields[0] != fields[1] {
			t.Errorf("%s is %s of %s, want %d at most", name, fields[0], fields[1], most)
		}
	}
	if err := c.stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := c.end(); err == nil {
		t.Error("the child ends well")
	}
}

func TestTheChildEndsWithItsParent(t *testing.T) {
	t.Parallel()
	c := spinning(t)
	if err := c.stdin.Close(); err != nil { // what the end of the parent does
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := c.end(); !errors.As(err, &ended) || ended.ExitCode() != exitOrphan {
		t.Errorf("the child ends with %v, want exit status %d", err, exitOrphan)
	}
}

func TestAChildThatIsKilledIsAnIssueAndNoPanic(t *testing.T) {
	t.Parallel()
	c := spinning(t)
	if err := c.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended := c.end()
	got := explainEnd(request{}, "a.ts", c, ended, false, nil, Options{}.budget())
	if got.Code != CodeCrash || got.String() != "a.ts: its evaluation broke down (signal: killed): it said nothing" {
		t.Errorf("the issue is %s: %s", got.Code, got)
	}
}
