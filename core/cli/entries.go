package cli

import (
	"context"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/content"
)

func (a *app) entriesCommand() *cobra.Command {
	return group(&cobra.Command{Use: "entries", Short: "Import entries"}, a.importCommand())
}

// imported is what an import did, or would do.
type imported struct {
	DryRun      bool    `json:"dryRun"`
	Collection  string  `json:"collection"`
	ChangeSetID *string `json:"changeSetId"`
	Created     int     `json:"created"`
	Updated     int     `json:"updated"`
	Unchanged   int     `json:"unchanged"`
	// Entries says what became of each row, in their order.
	Entries []importedRow `json:"entries"`
}

// importedRow is what became of a row; a dry run has no id for what it would create.
type importedRow struct {
	ID      *string `json:"id"`
	Slug    *string `json:"slug"`
	Outcome string  `json:"outcome"`
}

type importFlags struct {
	collection, changeSet, summary string
	dryRun                         bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE.jsonl",
		Short: "Stage entries from a file of JSON lines",
		Long: `Stage entries from a file of JSON lines, each {"data": {…}, "slug": "…", "id": "ent_…", "changeSummary": "…"}; all but
data may be missing. "-" reads standard input. Rows whose id or slug exists become edits, and rows that change nothing
are left out. An id is that of an entry that exists, for new entries are given theirs; so a row cannot refer to an entry
that the same file creates: import what is referred to first, with --change-set for one publish of both. All join one change set, a new one unless --change-set names it, or nothing is staged where one row is
refused; publishing is a step of its own. Up to 10,000 rows and 256 MiB.`,
		Example: "  svc entries import posts.jsonl --collection posts\n  zcat posts.jsonl.gz | svc entries import - --collection posts --dry-run",
	}
	cmd.Flags().StringVarP(&f.collection, "collection", "c", "", "`COLLECTION` that the entries belong to (needed)")
	cmd.Flags().StringVar(&f.changeSet, "change-set", "", "`ID` of the change set to join (chs_…); a new one if not given")
	cmd.Flags().StringVar(&f.summary, "summary", "", "`TEXT` saying what the change is about, kept with every revision")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "check every row and write nothing")
	a.completeFlag(cmd, "collection", (*app).completeCollections)
	a.completeFlag(cmd, "change-set", (*app).completeOpenSets)
	cmd.ValidArgsFunction = completeJSONLines
	return a.does(cmd, func(ctx context.Context, args []string) error { return a.importFile(ctx, args[0], f) })
}

// collectionName is the form of a collection's name (interface, "Collection schema definition").
var collectionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (a *app) checkImport(f importFlags) error {
	switch {
	case f.collection == "":
		return usage("name the collection with --collection", "it is not said which collection the entries belong to")
	case !collectionName.MatchString(f.collection):
		return usage("", "--collection %q is no name of a collection", f.collection)
	case f.changeSet != "" && !content.IsID[content.ChangeSetID](f.changeSet):
		return usage(a.typed("change-sets", "list", "--status", "open")+" shows the ids", "--change-set %q is no id of a change set (chs_…)", f.changeSet)
	}
	return nil
}

func (a *app) importFile(ctx context.Context, name string, f importFlags) error {
	if err := a.checkImport(f); err != nil {
		return err
	}
	c, project, err := a.connectProject(noLimit)
	if err != nil {
		return err
	}
	rows, err := a.openRows(name)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !f.dryRun {
		a.uncertain = "the rows may have been staged: " + a.typed("change-sets", "list", "--status", "open") + " tells"
	}
	var answer client.Imported
	err = a.during(ctx, "importing into "+f.collection, rows.progress, func(ctx context.Context) (err error) {
		answer, err = c.ImportLines(ctx, project, f.collection, rows, client.ImportOptions{
			ChangeSetID: f.changeSet, ChangeSummary: f.summary, DryRun: f.dryRun,
		})
		return err
	})
	if readErr := rows.failure(); readErr != nil { // the request broke off for that reason
		return fileError(name, readErr)
	}
	if err != nil {
		return rows.at(name, a.explain(err))
	}
	out := importedOf(answer, f)
	return a.answer(out, func(p *page) { a.showImported(p, out) })
}

// openRows opens the file of an import.
func (a *app) openRows(name string) (*rows, error) {
	if name == "-" {
		if a.InTerminal {
			a.warn("reading rows from the terminal; end them with Ctrl-D")
		}
		return &rows{from: io.NopCloser(a.In)}, nil
	}
	file, err := os.Open(a.absolute(name))
	if err != nil {
		return nil, fileError(name, err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		file.Close()
		return nil, fileError(name, err)
	case info.IsDir():
		file.Close()
		return nil, failed("%s is a folder; an import takes a file of JSON lines", name)
	}
	r := &rows{from: file}
	if info.Mode().IsRegular() {
		r.total = info.Size()
	}
	return r, nil
}

func importedOf(in client.Imported, f importFlags) imported {
	out := imported{
		DryRun: f.dryRun, Collection: f.collection, ChangeSetID: orNull(in.ChangeSetID),
		Created: in.Created, Updated: in.Updated, Unchanged: in.Unchanged,
	}
	for _, r := range in.Entries {
		out.Entries = append(out.Entries, importedRow{orNull(r.ID), orNull(r.Slug), r.Outcome})
	}
	return out
}

func (a *app) showImported(p *page, i imported) {
	verdict := p.paint(green, "imported")
	if i.DryRun {
		verdict = p.paint(cyan, "dry run, nothing was written")
	}
	p.line("%s: %s created, %s updated, %s unchanged in %s of %s", verdict, count(i.Created), count(i.Updated), count(i.Unchanged),
		i.Collection, clean(a.settings.project.value))
	if i.ChangeSetID != nil && !i.DryRun && i.Created+i.Updated > 0 {
		p.line("change set %s", p.paint(bold, clean(*i.ChangeSetID)))
		p.line("%s %s", p.paint(cyan, "next:"), clean(a.commandLine("change-sets", "publish", *i.ChangeSetID)))
	}
}
