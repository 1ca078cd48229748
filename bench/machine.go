package bench

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Machine is where figures come from.
type Machine struct {
	OS   string `json:"os"`
	CPU  string `json:"cpu"` // the model
	CPUs int    `json:"cpus"`
	// Memory is in MiB, Load how many processes wanted to run in the minute before.
	Memory int     `json:"memory"`
	Load   float64 `json:"load"`
	Go     string  `json:"go"`
	// Revision is the commit, with "-dirty" where files differed from it.
	Revision string `json:"revision,omitempty"`
}

// machine looks at this one. What the kernel or git do not tell stays empty.
func machine() Machine {
	m := Machine{OS: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
	m.CPU = value("/proc/cpuinfo", "model name")
	if _, err := fmt.Sscan(value("/proc/meminfo", "MemTotal"), &m.Memory); err == nil {
		m.Memory /= 1024
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(text), &m.Load)
	}
	if root, err := moduleRoot(); err == nil {
		cmd := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12")
		cmd.Dir = root
		if printed, err := cmd.Output(); err == nil {
			m.Revision = strings.TrimSpace(string(printed))
		}
	}
	return m
}

// value is the value of the first line "name: value" of a file; empty where there is none.
func value(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// String is the machine in a line.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %.0f GiB of memory, %s, %s, commit %s; load before it began %.1f",
		m.CPU, m.CPUs, float64(m.Memory)/1024, m.OS, m.Go, m.Revision, m.Load)
}
