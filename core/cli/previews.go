package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/schema"
)

func (a *app) previewsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "previews", Short: "Create, list and revoke preview tokens",
		Long: `Create, list and revoke preview tokens. With one, the public reads show what a change set stages as if it were published, to anyone who
has it, until it expires or is revoked.`,
	}, a.previewCreateCommand(), a.previewListCommand(), a.previewRevokeCommand())
}

// How long a preview token may live, in whole seconds (interface, "Authentication").
const leastLife, mostLife = time.Minute, 30 * 24 * time.Hour

func (a *app) previewCreateCommand() *cobra.Command {
	var entry string
	life := time.Hour
	cmd := &cobra.Command{
		Use:   "create CHANGE-SET",
		Short: "Create a preview token of a change set",
		Long: `Create a preview token of a change set, or with --entry of one entry of it. The token is printed this once; reads take it as ?preview=, or as a
bearer credential. Besides the drafts it reads all that is published, and where you may read private collections, what is published in those too:
also a token of a single entry.`,
		Example: "  svc previews create chs_01h455vb4pex5vsknk084sn02q --entry posts/night-buses --expires 24h",
	}
	cmd.Flags().StringVar(&entry, "entry", "", "the only `ENTRY` whose draft it shows, named as for \"svc entries\"")
	expires := timeFlag{&life, leastLife, mostLife, false, "a time of 1m to 720h in whole seconds, such as 30m or 24h"}
	cmd.Flags().Var(expires, "expires", "`TIME` until it expires (1m to 720h)")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if err := checkChangeSet(args[0]); err != nil {
			return err
		}
		id := ""
		if entry != "" {
			var err error
			if id, err = a.entryID(ctx, entry); err != nil {
				return err
			}
		}
		a.uncertain = `it may have been created: "svc previews list ` + args[0] + `" tells`
		return reply(a, "creating the preview token", func() (wire.CreatedPreview, error) {
			return a.client.CreatePreview(ctx, a.project, args[0], id, life)
		}, func(made wire.CreatedPreview, p *page) { showCreatedPreview(p, made, a.previewPath(ctx, entry, id)) })
	})
}

// previewPath is the path to read what a preview shows: the entry that it is of, named as the argument names it, or else a list.
func (a *app) previewPath(ctx context.Context, name, id string) string {
	path := "/v1/projects/" + a.project + "/collections/"
	if id == "" {
		return path + "COLLECTION/entries"
	}
	collection, _, hasSlug := strings.Cut(name, "/")
	singleton := !hasSlug
	if name == id {
		collection, singleton = a.collectionOf(ctx, id)
	}
	if singleton {
		return path + collection + "/singleton"
	}
	return path + collection + "/entries/" + id
}

// collectionOf is the collection of an entry, and whether it is a singleton; COLLECTION where that cannot be read.
func (a *app) collectionOf(ctx context.Context, id string) (collection string, singleton bool) {
	e, err := a.client.Entry(ctx, a.project, id)
	if err != nil {
		return "COLLECTION", false
	}
	kinds, _ := a.client.CollectionKinds(ctx, a.project)
	return e.Collection, kinds[e.Collection] == schema.KindSingleton
}

func showCreatedPreview(p *page, made wire.CreatedPreview, path string) {
	t := made.Preview
	shows := string(t.ChangeSet)
	if t.Entry != nil {
		shows = string(*t.Entry) + " in " + shows
	}
	p.facts([2]string{"preview", string(t.ID)}, [2]string{"shows", shows}, [2]string{"expires", t.ExpiresAt.String()}, [2]string{"token", made.Token},
		[2]string{"read with", "GET " + path + "?preview=" + made.Token})
	p.line(`%s "svc previews revoke %s" ends it`, p.paint(dim, "The token is not shown again;"), string(t.ID))
}

type previewList struct {
	Previews []wire.Preview `json:"previews"`
	More     bool           `json:"more"`
}

func (a *app) previewListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [CHANGE-SET]",
		Short: "List preview tokens, newest first",
		Long:  "List the preview tokens of the project, or of a change set, newest first, without their secrets.",
	}
	a.addLimit(cmd)
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		set := ""
		if len(args) > 0 {
			set = args[0]
			if err := checkChangeSet(set); err != nil {
				return err
			}
		}
		return reply(a, "reading preview tokens", func() (list previewList, err error) {
			list.Previews, list.More, err = a.client.RecentPreviews(ctx, a.project, set, a.flags.limit)
			return list, err
		}, previewList.show)
	})
}

func (l previewList) show(p *page) {
	if len(l.Previews) == 0 {
		p.line("No preview tokens.")
		return
	}
	var t table
	t.row(plain, "PREVIEW", "CHANGE SET", "ENTRY", "CREATED", "EXPIRES", "REVOKED")
	for _, v := range l.Previews {
		t.row(plain, v.ID, v.ChangeSet, orDash(deref(v.Entry)), v.CreatedAt, v.ExpiresAt, v.RevokedAt)
	}
	p.table(t)
	p.more(l.More, len(l.Previews))
}

type revokedPreview struct {
	Preview wire.Preview `json:"preview"`
}

func (a *app) previewRevokeCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "revoke PREVIEW", Short: "Revoke a preview token", Long: "Revoke a preview token by its id. Reads with it are refused from then on."}
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if !content.IsID[content.PreviewID](args[0]) {
			return usage(`"svc previews list" shows the ids`, "%q is no id of a preview token (prv_…)", args[0])
		}
		a.uncertain = `it may have been revoked: "svc previews list" tells`
		v, err := ask(a, "revoking the preview token", func() (wire.Preview, error) { return a.client.RevokePreview(ctx, a.project, args[0]) })
		if err != nil {
			return err
		}
		return a.answer(revokedPreview{v}, func(p *page) {
			p.line("%s %s of %s", p.paint(green, "revoked"), p.paint(bold, string(v.ID)), string(v.ChangeSet))
		})
	})
}
