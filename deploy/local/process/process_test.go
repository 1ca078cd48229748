package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell starts a program that is given so much time to end.
func shell(t *testing.T, script string, grace time.Duration) (*Process, string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log", "part.log")
	p, err := Start(Spec{
		Name: "part", Home: dir, Path: "/bin/sh", Args: []string{"-c", script}, Log: log, Grace: grace,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, log
}

// awaitLine waits until the program has written a line.
func awaitLine(t *testing.T, log, line string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(Tail(log, 10), line); {
		if time.Now().After(deadline) {
			t.Fatalf("%q is not in the log: %s", line, Tail(log, 10))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestEndIsGraceful(t *testing.T) {
	p, log := shell(t, `trap 'echo bye; exit 0' TERM; echo hello; while :; do sleep 0.01; done`, time.Minute)
	awaitLine(t, log, "hello")
	p.End()
	if got := Tail(log, 10); got != "hello\nbye" || p.Err() != nil {
		t.Errorf("log %q, end %v", got, p.Err())
	}
	p.End()
}

func TestEndIsForcedAfterTheGrace(t *testing.T) {
	p, log := shell(t, `trap '' TERM; echo hello; while :; do sleep 0.01; done`, 200*time.Millisecond)
	awaitLine(t, log, "hello")
	p.End()
	if p.Err() == nil || !strings.Contains(p.Err().Error(), "killed") {
		t.Errorf("ended with %v", p.Err())
	}
}

func TestTheTailOfAProgramHasNothingOfEarlierRuns(t *testing.T) {
	first, log := shell(t, "echo old", time.Minute)
	<-first.Done()
	again, err := Start(Spec{Name: "part", Home: t.TempDir(), Path: "/bin/sh", Args: []string{"-c", "echo one; echo two; echo three"}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	<-again.Done()
	for lines, want := range map[int]string{2: "two\nthree", 8: "one\ntwo\nthree"} {
		if got := again.Tail(lines); got != want {
			t.Errorf("the last %d lines are %q", lines, got)
		}
	}
	if got := Tail(log, 8); got != "old\none\ntwo\nthree" {
		t.Errorf("the whole log is %q", got)
	}
	silent, err := Start(Spec{Name: "part", Home: t.TempDir(), Path: "/bin/true", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	<-silent.Done()
	if got := silent.Tail(8); got != "" {
		t.Errorf("a program that said nothing: %q", got)
	}
}

func TestAProgramThatIsMissingIsNamed(t *testing.T) {
	dir := t.TempDir()
	_, err := Start(Spec{Name: "part", Home: dir, Path: filepath.Join(dir, "nothing")})
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("error %v", err)
	}
}

func TestLeftoversAreFoundByTheirMark(t *testing.T) {
	p, _ := shell(t, "while :; do sleep 0.01; done", time.Minute)
	found, err := Leftovers(p.spec.Home)
	if err != nil || len(found) == 0 {
		t.Fatalf("found %v, %v", found, err)
	}
	for _, one := range found {
		if one.Name != "part" {
			t.Errorf("found %+v", one)
		}
	}
	if err := EndLeftover(t.Context(), p.spec.Home, Leftover{Pid: p.Pid(), Name: "part"}, time.Second); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
}

func TestAProcessThatIsNotTheLeftoverIsSpared(t *testing.T) {
	p, _ := shell(t, "while :; do sleep 0.01; done", time.Minute)
	for _, wrong := range []struct{ home, name string }{{p.spec.Home, "other"}, {p.spec.Home + "/other", "part"}} {
		if err := EndLeftover(t.Context(), wrong.home, Leftover{Pid: p.Pid(), Name: wrong.name}, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("it was ended: %v", err)
	}
}

func TestLogMakesRoomWhenItHasGrown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "part.log")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, logLimit+1); err != nil {
		t.Fatal(err)
	}
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil || info.Size() != 0 {
		t.Errorf("the new log has %d bytes, %v", info.Size(), err)
	}
	if old, err := os.Stat(path + ".1"); err != nil || old.Size() != logLimit+1 {
		t.Errorf("the old log: %v, %v", old, err)
	}
}

func TestTailShowsTheLastLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "part.log")
	var text strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := Tail(path, 2); got != "line 9998\nline 9999" {
		t.Errorf("tail %q", got)
	}
	if got := Tail(filepath.Join(t.TempDir(), "none"), 2); got != "" {
		t.Errorf("tail of nothing %q", got)
	}
}

func TestErrorsAreFoundAnywhereInALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "part.log")
	text := "a server speaks\n" + `{"level":"ERROR","msg":"one"}` + "\n" + `{"level":"INFO","msg":"more"}` + "\n" + `{"level":"ERROR","msg":"two"}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := Errors(path, 5); len(got) != 2 || !strings.Contains(got[0], "one") || !strings.Contains(got[1], "two") {
		t.Errorf("errors %q", got)
	}
	if got := Errors(path, 1); len(got) != 1 || !strings.Contains(got[0], "two") {
		t.Errorf("the last error is %q", got)
	}
}
