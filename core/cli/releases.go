package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
)

type releaseList struct {
	Releases []wire.Release `json:"releases"`
	More     bool           `json:"more"`
	Pin      *wire.Pin      `json:"pin"` // null where reads answer the newest release
}

func (a *app) releasesCommand() *cobra.Command {
	return group(&cobra.Command{Use: "releases", Short: "List and revert releases, and choose which one reads answer"},
		a.releaseListCommand(), a.releaseRevertCommand(), a.releasePinCommand(), a.releaseUnpinCommand())
}

func (a *app) releaseListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List releases, newest first",
		Long:  "List releases, newest first, and the one that the project is pinned to. A read can be pinned to a release of its own by\nits number or its time.",
	}
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, _ []string) error {
		return reply(a, "reading releases", func() (list releaseList, err error) {
			list.Releases, list.More, err = a.client.RecentReleases(ctx, a.project, a.flags.limit)
			if err != nil {
				return list, err
			}
			settings, err := a.client.Project(ctx, a.project)
			list.Pin = settings.Pin
			return list, err
		}, releaseList.show)
	})
}

func (l releaseList) show(p *page) {
	if len(l.Releases) == 0 {
		p.line("No releases yet.")
		return
	}
	var t table
	t.row(plain, "RELEASE", "PUBLISHED", "ITEMS", "CHANGE SET", heading("TITLE"))
	for _, r := range l.Releases {
		number, look := releaseText(&r.Number), bold
		if l.Pin != nil && l.Pin.Release == r.Number {
			number, look = pinnedText(number), bold+yellow
		}
		t.row(look, number, r.PublishedAt, count(r.ItemCount), r.ChangeSet, r.Title)
	}
	p.table(t)
	p.more(l.More, len(l.Releases))
	if l.Pin != nil {
		p.labelled(yellow, "pinned:", pinText(l.Pin))
	}
}

// releaseNumber reads the argument RELEASE.
func releaseNumber(text string) (uint64, error) {
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil || number == 0 {
		return 0, usage(`"svc releases list" shows them`, "%q is not the number of a release", text)
	}
	return number, nil
}

// releaseName reads the argument RELEASE where a release may also be named by its change set, and says what to call it.
func releaseName(text string) (name, called string, err error) {
	if content.IsID[content.ChangeSetID](text) {
		return text, "the release of " + text, nil
	}
	number, err := releaseNumber(text)
	return strconv.FormatUint(number, 10), "release " + decimal(number), err
}

func (a *app) releaseRevertCommand() *cobra.Command {
	var title string
	var force bool
	cmd := &cobra.Command{
		Use:   "revert RELEASE",
		Short: "Draft a change set with the state before a release",
		Long: `Draft a change set that restores the state before a release, for every entry that it touched: what it created is unpublished,
what it changed gets its former content, and what it unpublished or deleted comes back. Publishing that is a step of its own.
It is refused where later releases touched the same entries, unless --force is given, and where the former content does not fit
the schemas any more. RELEASE is its number, or the id of the change set that it was.`,
		Example: "  svc releases revert 42",
	}
	cmd.Flags().StringVar(&title, "title", "", "`TITLE` of the change set")
	cmd.Flags().BoolVar(&force, "force", false, "revert what later releases changed again, too")
	return a.inProject(cmd, publish, func(ctx context.Context, args []string) error {
		release, called, err := releaseName(args[0])
		if err != nil {
			return err
		}
		a.uncertain = `it may have been drafted: "svc change-sets list --status open" tells`
		set, err := ask(a, "reverting", func() (wire.ChangeSet, error) {
			return a.client.RevertRelease(ctx, a.project, release, title, force)
		})
		if err != nil {
			return err
		}
		deleted := 0
		if !a.asJSON {
			deleted = a.deletedBy(ctx, release)
		}
		return a.answer(set, func(p *page) {
			p.line("%s the revert of %s: %s, %q", p.paint(green, "drafted"), called, p.paint(bold, string(set.ID)), set.Title)
			if deleted > 0 {
				p.line("%s %s", counted(deleted, "entry that it deleted is", "entries that it deleted are"), deletedNoMore)
			}
			p.labelled(cyan, "next:", "svc change-sets publish "+string(set.ID))
		})
	})
}

// deletedBy is how many entries a release deleted; 0 where that cannot be read: it is reverted all the same.
func (a *app) deletedBy(ctx context.Context, release string) (deleted int) {
	items, err := a.client.ReleaseItems(ctx, a.project, release)
	if err != nil {
		return 0
	}
	for _, i := range items {
		if i.Operation == content.OperationDelete {
			deleted++
		}
	}
	return deleted
}

// pinText says what a pin does, and why it is there.
func pinText(n *wire.Pin) string {
	text := "reads answer release " + decimal(n.Release) + ", since " + n.PinnedAt.String()
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
	Pin *wire.Pin `json:"pin"`
	// Everywhere tells whether every edge has it; null where that was not asked for.
	Everywhere *bool `json:"everywhere"`
}

func (a *app) releasePinCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "pin RELEASE",
		Short: "Have reads answer an older release, on every node, until unpin",
		Long: `Have reads that name no release answer this one, on core and on every edge, as if it were the newest: the way back where
a release turns out to be bad. Publishing goes on, and is seen after "svc releases unpin"; reads at a release of their own
are answered as ever. Pinning again replaces the pin. On a terminal it asks; elsewhere --yes is needed. It needs a
credential with the scope project:admin.`,
	}
	a.addYes(cmd, "do not ask")
	a.addWait(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` for those who wonder later, at most 500 characters")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		number, err := releaseNumber(args[0])
		if err = cmp.Or(err, a.someoneToAsk(cmd.CommandPath())); err != nil {
			return err
		}
		return a.changePin(ctx, "release "+decimal(number), func() (*wire.Pin, bool, error) {
			set, everywhere, err := a.client.PinRelease(ctx, a.project, number, reason, a.flags.wait)
			return &set, everywhere, err
		})
	})
}

func (a *app) releaseUnpinCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unpin",
		Short: "Have reads answer the newest release again",
		Long: `Have reads answer the newest release again, with all that was published since the project was pinned. A project that is not
pinned stays as it is. On a terminal it asks; elsewhere --yes is needed. It needs a credential with the scope project:admin.`,
	}
	a.addYes(cmd, "do not ask")
	a.addWait(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, _ []string) error {
		if err := a.someoneToAsk(cmd.CommandPath()); err != nil {
			return err
		}
		return a.changePin(ctx, "the newest release again", func() (*wire.Pin, bool, error) {
			everywhere, err := a.client.Unpin(ctx, a.project, a.flags.wait)
			return nil, everywhere, err
		})
	})
}

// changePin asks whether the pin is to be changed, changes it, and tells how it is then.
func (a *app) changePin(ctx context.Context, toAnswer string, change func() (*wire.Pin, bool, error)) error {
	if err := a.confirm(ctx, "letting reads of "+a.project+" answer "+toAnswer); err != nil {
		return err
	}
	a.uncertain = `it may have been done: "svc releases list" tells`
	return reply(a, "changing the pin", func() (pinned, error) {
		pin, everywhere, err := change()
		out := pinned{Pin: pin}
		if a.flags.wait > 0 {
			out.Everywhere = &everywhere
		}
		return out, err
	}, pinned.show)
}

func (o pinned) show(p *page) {
	if o.Pin != nil {
		p.labelled(yellow, "pinned:", pinText(o.Pin))
	} else {
		p.line("%s reads answer the newest release", p.paint(green, "not pinned:"))
	}
	p.showEverywhere(o.Everywhere)
}

// showEverywhere says whether every edge has what was changed; nil where that was not asked for.
func (p *page) showEverywhere(have *bool) {
	switch {
	case have == nil:
	case *have:
		p.line("every edge has it")
	default:
		p.line(`not every edge is known to have it yet; "svc edges" shows how far each is`)
	}
}
