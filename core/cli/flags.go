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
func (a *app) addWait(cmd *cobra.Command) {
	cmd.Flags().Var((*waitFlag)(&a.flags.wait), "wait", "wait for every edge, up to this `TIME` (1s to 30s)")
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

// addLimit gives a command the flag --limit, which bounds a list.
func (a *app) addLimit(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&a.flags.limit, "limit", "n", 25, "how many (`N`) to list; 0 lists all")
}

func (a *app) checkLimit() error {
	if a.flags.limit < 0 {
		return usage("", "--limit is %d; it must be 0 (all) or more", a.flags.limit)
	}
	return nil
}

// more says that a list goes on.
func (p *page) more(more bool, n int) {
	if more {
		p.line("%s", p.paint(dim, "the newest "+count(n)+"; --limit 0 lists all"))
	}
}

// addYes gives a command the flag --yes.
func (a *app) addYes(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVarP(&a.flags.yes, "yes", "y", false, usage)
}
