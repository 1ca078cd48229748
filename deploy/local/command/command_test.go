package command

import (
	"strings"
	"testing"
)

func TestHelpIsNoFailure(t *testing.T) {
	for _, line := range []string{
		"help", "-h", "-help", "--help", "help run", "run --help", "run -h", "stop -h", "start --help", "exec --help", "part -h",
		"test-services -h", "test-services --help",
	} {
		var out strings.Builder
		if err := Run(strings.Fields(line), &out); err != nil || out.String() != usage+"\n" {
			t.Errorf("local %s: %v, %q", line, err, out.String())
		}
	}
}

// TestWhatIsNoCommandStartsNothing: it fails with the usage, and nothing of it is taken for a shorter command.
func TestWhatIsNoCommandStartsNothing(t *testing.T) {
	for _, line := range []string{"", "rum", "run now", "run -v", "stop edge-1 edge-2", "start", "exec core", "exec core bin/core", "part", "part redis"} {
		var out strings.Builder
		if err := Run(strings.Fields(line), &out); err == nil || !strings.Contains(err.Error(), usage) || out.Len() > 0 {
			t.Errorf("local %s: %v, %q", line, err, out.String())
		}
	}
}
