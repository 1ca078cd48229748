package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/content"
)

// pin is the release that reads of the project answer on every node.
type pin struct {
	Release  uint64  `json:"release"`
	Reason   *string `json:"reason"`
	PinnedBy *string `json:"pinnedBy"`
	PinnedAt string  `json:"pinnedAt"`
}

func pinOf(in *client.Pin) *pin {
	if in == nil {
		return nil
	}
	return &pin{in.Release, in.Reason, in.PinnedBy, content.FormatTime(in.PinnedAt)}
}

// text says what a pin does, and why it is there.
func (n *pin) text() string {
	text := "reads answer release " + decimal(n.Release) + ", since " + n.PinnedAt
	if n.PinnedBy != nil {
		text += " by " + *n.PinnedBy
	}
	if n.Reason != nil {
		text += ": " + *n.Reason
	}
	return text
}

// pinnedText marks the release that reads answer.
func pinnedText(release string) string { return release + " (pinned)" }

// pinned is what pin and unpin answer: the pin, null where there is none.
type pinned struct {
	Pin *pin `json:"pin"`
	// Everywhere tells whether every edge has it; null where that was not asked for.
	Everywhere *bool `json:"everywhere"`
}

// pinning are the flags of pin and unpin.
type pinning struct {
	yes    bool
	wait   time.Duration
	reason string
}

func (f *pinning) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	addWait(cmd, &f.wait)
}

func (a *app) releasePinCommand() *cobra.Command {
	var f pinning
	cmd := &cobra.Command{
		Use:   "pin RELEASE",
		Short: "Have reads answer an older release, on every node, until unpin",
		Long: `Have reads that name no release answer this one, on core and on every edge, as if it were the newest: the way back where
a release turns out to be bad. Publishing goes on, and is seen after "svc releases unpin"; reads at a release of their own
are answered as ever. Pinning again replaces the pin. On a terminal it asks; elsewhere --yes is needed. It needs a
credential with the scope project:admin.`,
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.reason, "reason", "", "`TEXT` for whoever wonders later, at most 500 characters")
	cmd.ValidArgsFunction = a.completeArgument((*app).completeReleases)
	return a.does(cmd, func(ctx context.Context, args []string) error {
		number, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil || number == 0 {
			return usage(a.typed("releases", "list")+" shows the releases", "%q is not the number of a release", args[0])
		}
		return a.changePin(ctx, f, fmt.Sprintf("Have reads of %%s answer release %d?", number), func(c *client.Client, project string) (*pin, bool, error) {
			set, everywhere, err := c.PinRelease(ctx, project, number, f.reason, f.wait)
			return pinOf(&set), everywhere, err
		})
	})
}

func (a *app) releaseUnpinCommand() *cobra.Command {
	var f pinning
	cmd := &cobra.Command{
		Use:   "unpin",
		Short: "Have reads answer the newest release again",
		Long: `Have reads answer the newest release again, with all that was published since the project was pinned. A project that is not
pinned stays as it is. On a terminal it asks; elsewhere --yes is needed. It needs a credential with the scope project:admin.`,
	}
	f.add(cmd)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		return a.changePin(ctx, f, "Have reads of %s answer the newest release again?", func(c *client.Client, project string) (*pin, bool, error) {
			everywhere, err := c.Unpin(ctx, project, f.wait)
			return nil, everywhere, err
		})
	})
}

// changePin asks whether the pin is to be changed, changes it, and tells how it is then.
func (a *app) changePin(ctx context.Context, f pinning, question string, change func(*client.Client, string) (*pin, bool, error)) error {
	if !f.yes {
		if err := a.someoneToAsk("changing what readers see"); err != nil {
			return err
		}
	}
	c, project, err := a.connectProject(ordinary)
	if err != nil {
		return err
	}
	if !f.yes {
		if err := a.confirm(ctx, fmt.Sprintf(question, project)); err != nil {
			return err
		}
	}
	a.uncertain = "it may have been done: " + a.typed("releases", "list") + " tells"
	out, err := ask(a, "changing the pin", func() (out pinned, err error) {
		var everywhere bool
		out.Pin, everywhere, err = change(c, project)
		if f.wait >= time.Second {
			out.Everywhere = &everywhere
		}
		return out, err
	})
	if err != nil {
		return err
	}
	return a.answer(out, func(p *page) { a.showPinned(p, out) })
}

func (a *app) showPinned(p *page, o pinned) {
	if o.Pin != nil {
		p.labelled(yellow, "pinned:", o.Pin.text())
	} else {
		p.line("%s reads answer the newest release", p.paint(green, "not pinned:"))
	}
	a.showEverywhere(p, o.Everywhere)
}

// showEverywhere says whether every edge has what was changed; nil where that was not asked for.
func (a *app) showEverywhere(p *page, have *bool) {
	switch {
	case have == nil:
	case *have:
		p.line("every edge has it")
	default:
		p.line("not every edge is known to have it yet; %s shows how far each is, or says why that cannot be told", a.typed("edges"))
	}
}

// completeReleases lists the newest releases.
func (a *app) completeReleases(ctx context.Context) []string {
	c, project, err := a.connectProject(completionTime)
	if err != nil {
		return nil
	}
	releases, _, err := c.RecentReleases(ctx, project, 100)
	if err != nil {
		return nil
	}
	var words []string
	for _, r := range releases {
		words = append(words, decimal(r.Number)+"\t"+clean(r.Title))
	}
	return words
}
