package cli

import (
	"time"

	"github.com/spf13/cobra"
)

// How long a command may wait for the edges. The service takes whole seconds, and no more.
const leastWait, mostWait = time.Second, 30 * time.Second

// addWait gives a command the flag --wait; 0 does not wait.
func (a *app) addWait(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&a.flags.wait, "wait", 0, "wait for every edge, up to this `TIME` (1s to 30s)")
}

// addLimit gives a command the flag --limit, which bounds a list.
func (a *app) addLimit(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&a.flags.limit, "limit", "n", 25, "how many (`N`) to list; 0 lists all")
}

// checkFlags refuses flags whose values are of their type and still wrong.
func (a *app) checkFlags(cmd *cobra.Command) error {
	switch w := a.flags.wait; {
	case w != 0 && (w < leastWait || w > mostWait):
		return usage(seeHelp(cmd), "--wait is %q; it must be %s", w, wanted("duration"))
	case a.flags.limit < 0:
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
