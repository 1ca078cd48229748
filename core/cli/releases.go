package cli

import (
	"context"

	"github.com/spf13/cobra"

	"svc/core/wire"
)

type releaseList struct {
	Releases []wire.Release `json:"releases"`
	More     bool           `json:"more"`
	Pin      *wire.Pin      `json:"pin"` // null where reads answer the newest release
}

func (a *app) releasesCommand() *cobra.Command {
	return group(&cobra.Command{Use: "releases", Short: "List releases, and choose which one reads answer"},
		a.releaseListCommand(), a.releasePinCommand(), a.releaseUnpinCommand())
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
	t.row(plain, "RELEASE", "PUBLISHED", "ITEMS", "CHANGE SET", "TITLE")
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
