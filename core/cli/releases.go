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
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List releases, newest first",
		Long:  "List releases, newest first, and the one that the project is pinned to. A read can be pinned to a release of its own by\nits number or its time.",
	}
	addLimit(cmd, &limit)
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if err := checkLimit(limit); err != nil {
			return err
		}
		c, project, err := a.connectProject(ordinary)
		if err != nil {
			return err
		}
		var list releaseList
		err = a.during(ctx, "reading releases", nil, func(ctx context.Context) error {
			list.Releases, list.More, err = c.RecentReleases(ctx, project, limit)
			if err != nil {
				return err
			}
			settings, err := c.Project(ctx, project)
			list.Pin = settings.Pin
			return err
		})
		if err != nil {
			return err
		}
		return a.answer(list, list.show)
	})
}

func (l releaseList) show(p *page) {
	if len(l.Releases) == 0 {
		p.line("No releases yet.")
		return
	}
	t := table{head: []string{"RELEASE", "PUBLISHED", "ITEMS", "CHANGE SET", "TITLE"}, flex: 4}
	for _, r := range l.Releases {
		number, look := releaseText(&r.Number), bold
		if l.Pin != nil && l.Pin.Release == r.Number {
			number, look = pinnedText(number), bold+yellow
		}
		t.row(painted(look, number), text(r.PublishedAt.String()), text(count(r.ItemCount)), painted(dim, string(r.ChangeSet)), text(r.Title))
	}
	p.table(t)
	p.more(l.More, len(l.Releases))
	if l.Pin != nil {
		p.labelled(yellow, "pinned:", pinText(l.Pin))
	}
}
