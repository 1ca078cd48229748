package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/core/wire"
	"svc/shared/content"
)

func (a *app) entriesCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "entries", Short: "List, show, edit, import, copy, unpublish, delete, discard and restore entries",
		Long: `List, show, edit, import, copy, unpublish, delete, discard and restore entries. ENTRY is the id of an entry, or its collection and slug, such as
posts/night-buses: the slug that it is published with, or that a draft of it has. The entry of a singleton is named by the collection alone, such as home.`,
	},
		a.entryListCommand(), a.entryShowCommand(), a.entryRevisionsCommand(), a.entryReferencesCommand(), a.entryEditCommand(), a.importCommand(), a.restoreCommand(), a.duplicateCommand(),
		a.unpublishCommand(), a.deleteCommand(), a.undeleteCommand(), a.discardCommand())
}

// imported is what an import did, or would do.
type imported struct {
	DryRun     bool   `json:"dryRun"`
	Collection string `json:"collection"`
	// ChangeSetID is that of the set that all rows joined; null where they joined none, or several.
	ChangeSetID  *content.ChangeSetID  `json:"changeSetId"`
	ChangeSetIDs []content.ChangeSetID `json:"changeSetIds"`
	Created      int                   `json:"created"`
	Updated      int                   `json:"updated"`
	Unchanged    int                   `json:"unchanged"`
	Conflicts    int                   `json:"conflicts"`
	// Entries says what became of each row, in their order.
	Entries []importedRow `json:"entries"`
}

// importedRow is what became of a row; a dry run has no id for what it would create.
type importedRow struct {
	ID          *content.EntryID     `json:"id"`
	Slug        *string              `json:"slug"`
	Outcome     string               `json:"outcome"`
	ChangeSetID *content.ChangeSetID `json:"changeSetId"`
	Line        int                  `json:"line,omitzero"` // of a conflict, from 1
	Conflict    *conflicted          `json:"conflict,omitempty"`
}

// conflicted says why a row was left out, with the entries and change sets that it could be about.
type conflicted struct {
	Message      string   `json:"message"`
	EntryIDs     []string `json:"entryIds,omitempty"`
	ChangeSetIDs []string `json:"changeSetIds,omitempty"`
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
data may be missing. "-" reads standard input. A row whose id or slug is that of an entry becomes an edit of it: its data
replaces the fields that it names, a localized field with all its locales. A row with neither never changes an entry: it is
left out where an entry with the slug derived from it says the same, and makes a new entry otherwise, numbered where the
slug is taken. So importing a file again changes nothing. An id is that of an entry that exists, for new entries are given theirs; so a row cannot refer to an entry
that the same file creates: import what is referred to first, with --change-set for one publish of both.

Without --change-set an edit joins the open change set that has the entry, and all other rows share a new one. A row whose
entry is in several is a conflict: it is left out, the others are staged, and the exit code is 1. Where a row is refused,
nothing is staged. Publishing is a step of its own. Up to 10,000 rows and 256 MiB.`,
		Example: "  svc entries import posts.jsonl --collection posts\n  zcat posts.jsonl.gz | svc entries import - --collection posts --dry-run",
	}
	cmd.Flags().StringVarP(&f.collection, "collection", "c", "", "`COLLECTION` that the entries belong to (needed)")
	cmd.Flags().StringVar(&f.changeSet, "change-set", "", "`ID` of the change set that all rows join (chs_…)")
	cmd.Flags().StringVar(&f.summary, "summary", "", "`TEXT` saying what the change is about, kept with every revision")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "check every row and write nothing")
	return a.inProject(cmd, noLimit, func(ctx context.Context, args []string) error { return a.importFile(ctx, args[0], f) })
}

// collectionName is the form of a collection's name (interface, "Collection schema definition").
var collectionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (f importFlags) check() error {
	switch {
	case f.collection == "":
		return usage("name the collection with --collection", "it is not said which collection the entries belong to")
	case !collectionName.MatchString(f.collection):
		return usage("", "--collection %q is no name of a collection", f.collection)
	case f.changeSet != "" && !content.IsID[content.ChangeSetID](f.changeSet):
		return usage(`"svc change-sets list --status open" shows the ids`, "--change-set %q is no id of a change set (chs_…)", f.changeSet)
	}
	return nil
}

func (a *app) importFile(ctx context.Context, name string, f importFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	rows, err := a.openRows(name)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !f.dryRun {
		a.uncertain = `the rows may have been staged: "svc change-sets list --status open" tells`
	}
	answer, err := ask(a, "importing into "+f.collection, func() (wire.Imported, error) {
		return a.client.ImportLines(ctx, a.project, f.collection, rows, client.ImportOptions{
			ChangeSetID: f.changeSet, ChangeSummary: f.summary, DryRun: f.dryRun,
		})
	})
	if readErr := rows.failure(); readErr != nil { // the request broke off for that reason
		return fileError(name, readErr)
	}
	if err != nil {
		return rows.at(name, a.explain(a.knownCollection(ctx, f.collection, err)))
	}
	out := importedOf(answer, f, rows)
	return cmp.Or(a.answer(out, func(p *page) { a.showImported(p, out) }), outcome(out.Conflicts > 0, ExitFailed))
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
	return &rows{from: file}, nil
}

func importedOf(in wire.Imported, f importFlags, rows *rows) imported {
	out := imported{
		DryRun: f.dryRun, Collection: f.collection, ChangeSetID: in.ChangeSet, ChangeSetIDs: in.ChangeSets,
		Created: in.Created, Updated: in.Updated, Unchanged: in.Unchanged, Conflicts: in.Conflicts,
	}
	for n, r := range in.Entries {
		row := importedRow{ID: r.Entry, Slug: r.Slug, Outcome: r.Outcome, ChangeSetID: r.ChangeSet}
		if r.Error != nil {
			row.Line, row.Conflict = rows.lineOf(n), &conflicted{r.Error.Detail, r.Error.Entries, r.Error.ChangeSets}
		}
		out.Entries = append(out.Entries, row)
	}
	return out
}

func (a *app) showImported(p *page, i imported) {
	verdict := p.paint(green, "imported")
	if i.DryRun {
		verdict = p.paint(cyan, "dry run, nothing was written")
	}
	conflicts := ""
	if i.Conflicts > 0 {
		conflicts = ", " + counted(i.Conflicts, "conflict", "conflicts")
	}
	p.line("%s: %s created, %s updated, %s unchanged%s in %s of %s", verdict, count(i.Created), count(i.Updated), count(i.Unchanged), conflicts,
		i.Collection, a.settings.project.value)
	for _, r := range i.Entries {
		if r.Conflict != nil {
			candidates := strings.Join(append(r.Conflict.ChangeSetIDs, r.Conflict.EntryIDs...), ", ")
			p.labelled(yellow, "conflict:", fmt.Sprintf("line %d was left out: %s (%s)", r.Line, inFlags.Replace(r.Conflict.Message), candidates))
		}
	}
	for _, id := range i.ChangeSetIDs {
		p.line("change set %s", p.paint(bold, string(id)))
		p.line("%s %s", p.paint(cyan, "next:"), "svc change-sets validate "+string(id))
	}
}

// discarded is an entry whose draft was given up.
type discarded struct {
	ID         content.EntryID `json:"id"`
	Collection string          `json:"collection"`
	Slug       *string         `json:"slug"`
}

func (a *app) discardCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "discard ENTRY",
		Short: "Delete a draft that belongs to no open change set",
		Long: `Delete an entry that was never published and that no open change set stages: its change set was closed, or the entry was
taken out of it. Such a draft can keep a schema from being pushed, whose errors name it. On a terminal it shows the entry and
asks; elsewhere --yes is needed. Entries that were published are deleted in a change set.`,
	}
	a.addYes(cmd, "do not ask")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		id, err := a.entryID(ctx, args[0])
		if err != nil {
			return err
		}
		if err := a.someoneToAsk(cmd.CommandPath()); err != nil {
			return err
		}
		if err := a.confirmDiscard(ctx, id); err != nil {
			return err
		}
		a.uncertain = "it may have been discarded: the same command tells"
		e, err := ask(a, "discarding", func() (wire.Entry, error) { return a.client.DiscardDraft(ctx, a.project, id) })
		if err != nil {
			return a.unstageFirst(id, err)
		}
		return a.answer(discarded{e.ID, e.Collection, e.Slug}, func(p *page) {
			p.line("%s the draft %s of %s", p.paint(green, "discarded"), nameOf(e), e.Collection)
		})
	})
}

// confirmDiscard asks whether this entry is to go.
func (a *app) confirmDiscard(ctx context.Context, id string) error {
	if a.flags.yes {
		return nil
	}
	e, err := ask(a, "reading the entry", func() (wire.Entry, error) { return a.client.Entry(ctx, a.project, id) })
	if err != nil {
		return err
	}
	return a.confirm(ctx, "discarding the draft "+nameOf(e)+" of "+e.Collection+", which cannot be published any more")
}

// nameOf names an entry by its slug and id.
func nameOf(e wire.Entry) string {
	if e.Slug == nil {
		return string(e.ID)
	}
	return *e.Slug + " (" + string(e.ID) + ")"
}
