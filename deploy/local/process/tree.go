package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// SignalTree sends a signal to a process and to all that descend from it, the ancestors first.
func SignalTree(pid int, signal syscall.Signal) error {
	children, err := childrenByParent()
	if err != nil {
		return err
	}
	var faults []error
	for tree := []int{pid}; len(tree) > 0; tree = tree[1:] {
		if err := syscall.Kill(tree[0], signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			faults = append(faults, fmt.Errorf("signal process %d: %w", tree[0], err))
		}
		tree = append(tree, children[tree[0]]...)
	}
	return errors.Join(faults...)
}

func childrenByParent() (map[int][]int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			// It ended meanwhile.
			continue
		}
		// "pid (name) state ppid ...", and the name may hold anything.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || len(fields) < 2 {
			continue
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("parent of process %d: %w", pid, err)
		}
		children[parent] = append(children[parent], pid)
	}
	return children, nil
}
