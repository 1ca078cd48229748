package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Resident is what a process has resident in memory, in MiB: now, and at most since its start or ResetPeak.
type Resident struct{ Now, Peak float64 }

// ResidentOf asks the kernel.
func ResidentOf(pid int) (Resident, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Resident{}, fmt.Errorf("resident memory: %w", err)
	}
	var r Resident
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		for key, field := range map[string]*float64{"VmRSS": &r.Now, "VmHWM": &r.Peak} {
			if name != key {
				continue
			}
			kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			if err != nil {
				return Resident{}, fmt.Errorf("resident memory: %w", err)
			}
			*field = kilobytes / 1024
		}
	}
	if r.Now == 0 || r.Peak == 0 {
		return Resident{}, fmt.Errorf("resident memory: the kernel does not tell that of process %d", pid)
	}
	return r, nil
}

// ResetPeak forgets what a process had resident at most so far. Linux alone can do it.
func ResetPeak(pid int) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o200); err != nil {
		return fmt.Errorf("resident memory: %w", err)
	}
	return nil
}
