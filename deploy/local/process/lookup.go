package process

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// Find looks for a program on PATH and in the directories of system programs, which an ordinary user's PATH lacks on
// Debian.
func Find(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("program %s is not installed", program)
}
