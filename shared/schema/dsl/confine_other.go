//go:build !linux

package dsl

import "os"

func executable() (string, error) { return os.Executable() }

// confineProcess leaves the bounds to the watchdog: other kernels do not bound the memory that the Go runtime takes.
func confineProcess(budget) error { return nil }
