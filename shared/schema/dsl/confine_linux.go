package dsl

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// executable is this very program, also after its file was replaced.
func executable() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// confineProcess has the kernel refuse the process memory beyond the budget, every further file and socket, and every
// byte written to a file. RLIMIT_DATA bounds what is private and writable; RLIMIT_AS would not do, because the Go
// runtime reserves far more addresses than it ever uses. Processor time is the last resort, should all else hang.
func confineProcess(b budget) error {
	used, err := privateData()
	if err != nil {
		return err
	}
	limits := map[int]uint64{
		syscall.RLIMIT_DATA:   used + b.heldBytes(),
		syscall.RLIMIT_CPU:    uint64((2*b.time + time.Second - 1) / time.Second),
		syscall.RLIMIT_FSIZE:  0,
		syscall.RLIMIT_CORE:   0,
		syscall.RLIMIT_NOFILE: 0,
	}
	if underRace {
		delete(limits, syscall.RLIMIT_DATA)
	}
	for resource, most := range limits {
		if err := bound(resource, most); err != nil {
			return fmt.Errorf("bound resource %d of the evaluation to %d: %w", resource, most, err)
		}
	}
	return nil
}

// bound lowers a limit for good; one that is lower already stays.
func bound(resource int, most uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(resource, &l); err != nil {
		return err
	}
	l.Max = min(l.Max, most)
	l.Cur = min(l.Cur, l.Max)
	return syscall.Setrlimit(resource, &l)
}

// privateData is how many bytes count against RLIMIT_DATA already; most of them were never touched.
func privateData() (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("read the memory of this process: %w", err)
	}
	_, rest, found := bytes.Cut(status, []byte("VmData:"))
	fields := bytes.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, fmt.Errorf("read the memory of this process: no VmData in its status")
	}
	kilobytes, err := strconv.ParseUint(string(fields[0]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the memory of this process: %w", err)
	}
	return kilobytes << 10, nil
}
