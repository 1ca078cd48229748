package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// marker is the environment variable that says which stack and part a process is.
const marker = "SVC_LOCAL_PART"

func mark(home, name string) string { return home + "#" + name }

// Leftover is a running part whose supervisor is gone.
type Leftover struct {
	Pid  int
	Name string
}

// Leftovers lists the running parts of the stack at home, no matter who started them. It reads the environment of every process
// it may look at; what it may not look at belongs to somebody else.
func Leftovers(home string) ([]Leftover, error) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, err
	}
	var found []Leftover
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return nil, fmt.Errorf("process directory %s: %w", file, err)
		}
		if name, ours := partOf(pid, home); ours {
			found = append(found, Leftover{Pid: pid, Name: name})
		}
	}
	return found, nil
}

// partOf reads which part of the stack at home a process is. A process that is gone or not ours to read is none.
func partOf(pid int, home string) (string, bool) {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", false
	}
	prefix := marker + "=" + home + "#"
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if name, found := strings.CutPrefix(string(variable), prefix); found {
			return name, true
		}
	}
	return "", false
}

// EndLeftover ends a part that Leftovers found: politely first, by force after the grace. The process is held by a
// descriptor and looked at again before anything is sent, so a process id that was given away meanwhile is never hit.
func EndLeftover(ctx context.Context, home string, leftover Leftover, grace time.Duration) error {
	fd, err := unix.PidfdOpen(leftover.Pid, 0)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("hold process %d: %w", leftover.Pid, err)
	}
	defer unix.Close(fd)
	if name, ours := partOf(leftover.Pid, home); !ours || name != leftover.Name {
		return nil
	}
	for _, signal := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		if err := unix.PidfdSendSignal(fd, signal, nil, 0); errors.Is(err, syscall.ESRCH) {
			return nil
		} else if err != nil {
			return fmt.Errorf("end process %d: %w", leftover.Pid, err)
		}
		if ended, err := waitEnd(ctx, fd, grace); ended || err != nil {
			return err
		}
	}
	return fmt.Errorf("process %d (%s) does not end", leftover.Pid, leftover.Name)
}

// waitEnd waits until the held process has ended, at most for the grace.
func waitEnd(ctx context.Context, fd int, grace time.Duration) (bool, error) {
	deadline := time.Now().Add(grace)
	for time.Now().Before(deadline) {
		polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(polled, 100)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return false, fmt.Errorf("wait for a process: %w", err)
		}
		if n > 0 {
			return true, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return false, nil
}
