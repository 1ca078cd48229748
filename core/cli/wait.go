package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// How long a command may wait for the edges. The service takes whole seconds, and no more.
const leastWait, mostWait = time.Second, 30 * time.Second

// waitFlag is a time that is waited for the edges; 0 does not wait.
type waitFlag time.Duration

const waitKind = "wait"

// addWait gives a command the flag --wait.
func addWait(cmd *cobra.Command, wait *time.Duration) {
	cmd.Flags().Var((*waitFlag)(wait), "wait", "wait for every edge, up to this `TIME` (1s to 30s)")
}

// String implements pflag.Value. Help tells no default that is empty.
func (w *waitFlag) String() string {
	if *w == 0 {
		return ""
	}
	return time.Duration(*w).String()
}

// Type implements pflag.Value.
func (w *waitFlag) Type() string { return waitKind }

// Set implements pflag.Value.
func (w *waitFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return err
	case d != 0 && (d < leastWait || d > mostWait):
		return errors.New("out of range")
	}
	*w = waitFlag(d)
	return nil
}
