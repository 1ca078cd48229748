package demo

import (
	"os/exec"
	"testing"
)

// The schemas are right for the compiler as well, so that editors show no fault in them.
func TestTheSchemasCompile(t *testing.T) {
	said, err := exec.Command("tsc", "--noEmit", "--pretty", "false", "-p", "schema").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
