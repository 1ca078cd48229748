package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/schema"
)

// entryStatuses are what --status of entries takes.
var entryStatuses = []string{"draft", "published", "changed", "unpublished", "deleted"}

type entryList struct {
	Entries []wire.Entry `json:"entries"`
	More    bool         `json:"more"`
	titles  titles       // for a person
}

func (a *app) entryListCommand() *cobra.Command {
	var f client.EntryFilter
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List entries, newest first",
		Long: `List entries, newest first; without --status all but deleted ones. --query searches the texts of drafts for words and for
"phrases in quotation marks"; - before one excludes it. --updated-since finds what was edited from that time on, or published or
unpublished by a release; with --status deleted, what was deleted. Titles are shown to credentials with schema:read, which says what
they are.`,
		Example: `  svc entries list --collection posts --query 'buses -"night buses"'
  svc entries list --updated-since 2026-03-01T09:00:00Z`,
	}
	cmd.Flags().StringVarP(&f.Collection, "collection", "c", "", "only those of this `COLLECTION`")
	cmd.Flags().StringVar(&f.Status, "status", "", "only those in this `STATUS` ("+strings.Join(entryStatuses, ", ")+")")
	cmd.Flags().StringVarP(&f.Query, "query", "q", "", "only those with these `WORDS`")
	cmd.Flags().StringVar(&f.UpdatedSince, "updated-since", "", "only those updated at this `TIME` or later, such as 2026-03-01T09:00:00Z")
	cmd.Flags().StringVar(&f.UpdatedBy, "updated-by", "", "only those whose newest revision is of this user or API key (`ID`)")
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, _ []string) error {
		if err := checkFilter(f); err != nil {
			return err
		}
		return reply(a, "reading entries", func() (list entryList, err error) {
			list.Entries, list.More, err = a.client.RecentEntries(ctx, a.project, f, a.flags.limit)
			if !a.asJSON && len(list.Entries) > 0 {
				list.titles = a.readTitles(ctx)
			}
			return list, a.knownCollection(ctx, f.Collection, err)
		}, entryList.show)
	})
}

func checkFilter(f client.EntryFilter) error {
	if f.Status != "" && !slices.Contains(entryStatuses, f.Status) {
		return usage("", "--status is %q; it may be %s", f.Status, strings.Join(entryStatuses, ", "))
	}
	if f.UpdatedSince != "" {
		if _, err := schema.ParseDatetime(f.UpdatedSince); err != nil {
			return usage("", "--updated-since %v", err)
		}
	}
	if by := f.UpdatedBy; by != "" && !content.IsID[content.UserID](by) && !content.IsID[content.KeyID](by) {
		return usage("", "--updated-by %q is no id of a user (usr_…) or an API key (key_…)", by)
	}
	return nil
}

func (l entryList) show(p *page) {
	if len(l.Entries) == 0 {
		p.line("No entries.")
		return
	}
	var t table
	t.row(plain, "ENTRY", "COLLECTION", "STATUS", "SLUG", heading("TITLE"))
	for _, e := range l.Entries {
		t.row(plain, e.ID, e.Collection, e.Status, orDash(deref(e.Slug)), orDash(l.titles.of(e)))
	}
	p.table(t)
	p.more(l.More, len(l.Entries))
}

func (a *app) restoreCommand() *cobra.Command {
	return staging(a, &cobra.Command{
		Use: "restore ENTRY REVISION", Short: "Stage the content of an earlier revision",
		Long: `Stage the content of an earlier revision of an entry as a new draft: REVISION is its id, from "svc entries revisions". It must fit the schema, the locales and the references of
now. Without --change-set it joins the open change set that has the entry, or a new one.`,
	}, func(ctx context.Context, args []string, set string) (wire.Written, error) {
		return a.client.RestoreRevision(ctx, a.project, args[0], args[1], set)
	}, showWritten("restored"))
}

func (a *app) undeleteCommand() *cobra.Command {
	return staging(a, &cobra.Command{
		Use: "undelete ENTRY", Short: "Bring back a deleted entry as a draft",
		Long: `Bring back an entry that was deleted: its last published content, or else its last draft, is staged. It must fit the schema
and the locales of now; entries that it refers to must be back once it is published. Without --change-set it joins a new change
set, and is refused where open ones stage something for the entry. A deletion that is only staged is taken back with "svc
change-sets unstage". A deleted entry is not found by its slug any more: "svc entries list --status deleted" shows its id.`,
	}, func(ctx context.Context, args []string, set string) (wire.Written, error) {
		w, err := a.client.UndeleteEntry(ctx, a.project, args[0], set)
		return w, a.unstageFirst(args[0], err)
	}, func(w wire.Written, entry string, p *page) {
		showWritten("undeleted")(w, entry, p)
		p.line("the entry is %s", deletedNoMore)
	})
}

// deletedNoMore is what becomes of deleted entries at once, while what is staged of them waits for the publish.
const deletedNoMore = "deleted no more from now on, even if the change set is closed"

func (a *app) duplicateCommand() *cobra.Command {
	return staging(a, &cobra.Command{
		Use: "duplicate ENTRY", Short: "Create an entry with the content of another one",
		Long: `Create an entry with the content of another one: of its newest draft, or with --change-set of what that proposes. References
are kept, and the slug gets a number. Without --change-set it joins a new change set.`,
	}, func(ctx context.Context, args []string, set string) (wire.Written, error) {
		return a.client.DuplicateEntry(ctx, a.project, args[0], set)
	}, func(w wire.Written, entry string, p *page) {
		p.line("%s %s as %s in %s, %q", p.paint(green, "duplicated"), entry, nameOf(w.Entry), p.paint(bold, string(w.ChangeSet.ID)), w.ChangeSet.Title)
	})
}

func (a *app) unpublishCommand() *cobra.Command {
	return staging(a, &cobra.Command{
		Use: "unpublish ENTRY", Short: "Stage the unpublishing of an entry",
		Long: `Stage the unpublishing of an entry. It takes effect when the change set is published: --change-set, or the open one that has the
entry, or a new one.`,
	}, func(ctx context.Context, args []string, set string) (removal, error) {
		return a.removal(ctx, args[0], func() (wire.Staged, error) { return a.client.UnpublishEntry(ctx, a.project, args[0], set) })
	}, showRemoval)
}

func (a *app) deleteCommand() *cobra.Command {
	return staging(a, &cobra.Command{
		Use: "delete ENTRY", Short: "Stage the deletion of an entry",
		Long: `Stage the deletion of an entry. It takes effect when the change set is published: --change-set, or the open one that has the
entry, or a new one.`,
	}, func(ctx context.Context, args []string, set string) (removal, error) {
		return a.removal(ctx, args[0], func() (wire.Staged, error) { return a.client.DeleteEntry(ctx, a.project, args[0], set) })
	}, showRemoval)
}

// staging is a command that stages something of the entry that is its first argument.
func staging[T any](a *app, cmd *cobra.Command, stage func(ctx context.Context, args []string, set string) (T, error), show func(done T, entry string, p *page)) *cobra.Command {
	var set string
	cmd.Flags().StringVar(&set, "change-set", "", "`ID` of the change set that it joins (chs_…)")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		named := args[0]
		var err error
		if args[0], err = a.target(ctx, named, set); err != nil {
			return err
		}
		a.uncertain = `it may have been staged: "svc change-sets list --status open" tells`
		return reply(a, "staging", func() (T, error) { return stage(ctx, args, set) }, func(done T, p *page) { show(done, named, p) })
	})
}

// removal is an unpublishing or a deletion that was staged.
type removal struct {
	wire.Staged
	set     *wire.ChangeSet // nil where it was not or cannot be read
	instead string          // what the set did to the entry before; empty: nothing
}

// removal stages one, and reads for a person what it replaces, and the change set. It is staged whatever that answers is, so none is no
// failure.
func (a *app) removal(ctx context.Context, entry string, stage func() (wire.Staged, error)) (removal, error) {
	var before wire.EntryInSets
	if !a.asJSON {
		before, _ = a.client.EntryInSets(ctx, a.project, entry) // what stages it meets the same failure
	}
	staged, err := stage()
	if err != nil || a.asJSON {
		return removal{Staged: staged}, err
	}
	done := removal{Staged: staged, instead: stagedIn(before, staged.ChangeSet)}
	if set, err := a.client.ChangeSet(ctx, a.project, string(staged.ChangeSet)); err == nil {
		done.set = &set
	}
	return done, nil
}

// stagedIn says what an open change set does to an entry; empty: nothing.
func stagedIn(e wire.EntryInSets, set content.ChangeSetID) string {
	for _, in := range e.OpenChangeSets {
		switch {
		case in.ID != set:
		case in.Operation != "":
			return string(in.Operation)
		case len(in.Fields) > 0:
			return "edit of " + strings.Join(in.Fields, ", ")
		}
	}
	return ""
}

func showRemoval(r removal, entry string, p *page) {
	in := p.paint(bold, string(r.ChangeSet))
	if r.set != nil {
		in += painted(clean(fmt.Sprintf(", %q", r.set.Title)))
	}
	what := string(r.Staged.Staged) + " of " + entry
	if r.instead != "" && r.instead != string(r.Staged.Staged) {
		what += ", instead of the " + r.instead + " that it staged"
	}
	p.line("%s in %s: %s; publish it to take effect", p.paint(green, "staged"), in, what)
	if strings.HasPrefix(r.instead, "edit") {
		p.labelled(cyan, "hint:", fmt.Sprintf(`"svc entries revisions %s" lists that edit, which can be restored`, entry))
	}
}

func showWritten(done string) func(wire.Written, string, *page) {
	return func(w wire.Written, _ string, p *page) {
		p.line("%s %s of %s in %s, %q", p.paint(green, done), nameOf(w.Entry), w.Entry.Collection, p.paint(bold, string(w.ChangeSet.ID)), w.ChangeSet.Title)
	}
}
