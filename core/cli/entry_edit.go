package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/fault"
)

// edited is what an edit did.
type edited struct {
	Changed []string      `json:"changed"` // the fields, and "slug"
	Written *wire.Written `json:"written"` // null where nothing was changed
}

type editFlags struct{ changeSet, summary string }

func (a *app) entryEditCommand() *cobra.Command {
	var f editFlags
	cmd := &cobra.Command{
		Use:   "edit ENTRY",
		Short: "Edit an entry in your editor",
		Long: `Open the slug and the fields of an entry as YAML, or with --json as JSON, in $VISUAL or $EDITOR, and stage what was changed
once the editor is closed. A field that is left out is cleared. Nothing is staged where nothing was changed, or where someone
else has edited the entry meanwhile. A file that is refused is kept, and on a terminal can be edited again.

Without --change-set the edit joins the open change set that has the entry, or a new one.`,
		Example: "  EDITOR='code --wait' svc entries edit posts/night-buses",
	}
	cmd.Flags().StringVar(&f.changeSet, "change-set", "", "`ID` of the change set that it joins (chs_…)")
	cmd.Flags().StringVar(&f.summary, "summary", "", "`TEXT` saying what the change is about, kept with the revision")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		if a.editor() == "" {
			return misconfigured("set EDITOR to the command that opens one, such as nano", "no editor is named")
		}
		id, err := a.target(ctx, args[0], f.changeSet)
		if err != nil {
			return err
		}
		return a.editEntry(ctx, id, f)
	})
}

func (a *app) editor() string { return cmp.Or(a.Env("VISUAL"), a.Env("EDITOR")) }

func (a *app) editEntry(ctx context.Context, id string, f editFlags) error {
	on, err := ask(a, "reading the entry", func() (editing, error) { return a.readToEdit(ctx, id, f.changeSet) })
	if err != nil {
		return err
	}
	file, err := a.writeToEdit(on)
	if err != nil {
		return err
	}
	for {
		done, err := a.editOnce(ctx, file, on, f.summary)
		if err == nil {
			os.Remove(file) //nolint:errcheck // what it is about is done
			return a.answer(done, func(p *page) { showEdited(p, done, on.removed) })
		}
		if again, err := a.editAgain(ctx, file, on, err); !again {
			return err
		}
	}
}

// showEdited tells what was staged, and what the change set staged before in its place; empty: nothing.
func showEdited(p *page, e edited, removed string) {
	if e.Written == nil {
		p.line("Nothing was changed, and nothing was staged.")
		return
	}
	w, what := e.Written, strings.Join(e.Changed, ", ")
	if removed != "" {
		what += ", instead of the " + removed + " that it staged"
	}
	p.line("%s %s of %s in %s, %q: %s", p.paint(green, "staged"), nameOf(w.Entry), w.Entry.Collection, p.paint(bold, string(w.ChangeSet.ID)), w.ChangeSet.Title, what)
}

// editing is an entry that is being edited.
type editing struct {
	entry    wire.Entry
	set      string // that the edit joins; empty: a new one
	removed  string // unpublish or delete, where the set stages that; else empty
	revision string // that it builds on; empty: none
	text     []byte // of the file
	was      document
}

// readToEdit reads what an edit builds on: what the change set proposes for the entry, else what is or was published, else its draft.
func (a *app) readToEdit(ctx context.Context, id, set string) (on editing, err error) {
	e, err := a.client.EntryInSets(ctx, a.project, id)
	if err != nil {
		return on, err
	}
	if set != "" {
		if err := a.takesEdits(ctx, set); err != nil {
			return on, err
		}
	}
	on = editing{entry: e.Entry, set: set}
	switch sets := e.OpenChangeSets; {
	case e.Status == "deleted":
		return on, failed("the entry is deleted").hinted(`"svc entries undelete ` + id + `" brings it back`)
	case set == "" && len(sets) == 1:
		on.set = string(sets[0].ID)
	case set == "" && len(sets) > 1:
		f := &failure{exit: ExitFailed, Code: string(fault.Conflict), Detail: fmt.Sprintf("the entry is in %d open change sets", len(sets)), Hint: "say which one with --change-set"}
		for _, s := range sets {
			f.ChangeSetIDs = append(f.ChangeSetIDs, string(s.ID))
		}
		return on, f
	}
	for _, in := range e.OpenChangeSets {
		if string(in.ID) == on.set {
			on.removed = string(in.Operation)
		}
	}
	head, err := a.headToEdit(ctx, e, on.set)
	if err != nil {
		return on, err
	}
	on.was.fields = []byte("{}")
	if head != nil {
		on.revision, on.was = string(head.Revision), document{slug: head.Slug, fields: head.Fields}
	}
	on.text, err = on.was.text(on.header(), a.asJSON)
	return on, err
}

// takesEdits refuses a change set that is published or closed, before an edit that it would not take is made.
func (a *app) takesEdits(ctx context.Context, id string) error {
	set, err := a.client.ChangeSet(ctx, a.project, id)
	if err != nil || set.Status.Editable() {
		return err
	}
	return &failure{exit: ExitFailed, Code: string(fault.Conflict), Detail: fmt.Sprintf("the change set %s is %s and takes no more edits", id, set.Status)}
}

func (a *app) headToEdit(ctx context.Context, e wire.EntryInSets, set string) (*wire.Head, error) {
	if set == "" {
		return e.Draft, nil
	}
	in, err := a.client.EntryInSet(ctx, a.project, string(e.ID), set)
	switch {
	case err != nil || in.Draft != nil:
		return in.Draft, err
	case e.Published != nil:
		return e.Published, nil
	case e.LastPublishedRevisionID != nil:
		r, err := a.client.Revision(ctx, a.project, string(e.ID), string(*e.LastPublishedRevisionID))
		return &wire.Head{Revision: r.ID, Slug: r.Slug, Fields: r.Fields}, err
	case len(e.OpenChangeSets) == 0:
		return e.Draft, nil
	}
	return nil, nil
}

func (on editing) header() string {
	joins := "a new change set"
	if on.set != "" {
		joins = "the change set " + on.set
	}
	if on.removed != "" {
		joins += ", instead of the " + on.removed + " that it stages now"
	}
	return fmt.Sprintf("# %s of %s. What you change is staged in %s.\n# A field that is left out is cleared. Close without a change to stage nothing.\n", on.entry.ID, on.entry.Collection, joins)
}

// writeToEdit writes the file for the editor, for its user alone.
func (a *app) writeToEdit(on editing) (string, error) {
	ending := "yaml"
	if a.asJSON {
		ending = "json"
	}
	f, err := os.CreateTemp(cmp.Or(a.Env("TMPDIR"), os.TempDir()), fmt.Sprintf("svc-%s-*.%s", on.entry.ID, ending))
	if err != nil {
		return "", failed("writing a file for the editor: %v", err)
	}
	_, err = f.Write(on.text)
	if err = cmp.Or(err, f.Close()); err != nil {
		os.Remove(f.Name()) //nolint:errcheck // the failure is told already
		return "", fileError(f.Name(), err)
	}
	return f.Name(), nil
}

// editOnce has the file edited, and stages what was changed in it.
func (a *app) editOnce(ctx context.Context, file string, on editing, summary string) (edited, error) {
	a.uncertain = "" // until it is sent
	if err := a.openEditor(ctx, file); err != nil {
		return edited{}, err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return edited{}, failed("the editor removed the file %s, so nothing was staged", file).hinted("edit the entry again, and save in that file")
	}
	if err != nil {
		return edited{}, fileError(file, err)
	}
	is, err := readDocument(file, text, a.asJSON)
	if err != nil {
		return edited{}, err
	}
	patch, changed, err := on.was.changes(file, is)
	if err != nil || len(changed) == 0 {
		return edited{Changed: []string{}}, err
	}
	patch.ChangeSetID, patch.ChangeSummary, patch.ExpectedRevisionID = on.set, summary, on.revision
	a.uncertain = `it may have been staged: "svc entries show ` + string(on.entry.ID) + `" tells`
	w, err := ask(a, "staging", func() (wire.Written, error) { return a.client.PatchEntry(ctx, a.project, string(on.entry.ID), patch) })
	return edited{Changed: changed, Written: &w}, err
}

// openEditor runs the editor until it is closed. Its command may have arguments, so a shell takes it apart.
func (a *app) openEditor(ctx context.Context, file string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", a.editor()+` "$1"`, "sh", file)
	cmd.Dir, cmd.WaitDelay, cmd.Stdout, cmd.Stderr = a.Dir, time.Second, a.Out, a.Err
	if !a.OutTerminal { // what goes there is the answer
		cmd.Stdout = a.Err
	}
	if terminal, ok := a.In.(*os.File); ok {
		cmd.Stdin = terminal
	}
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return failed("the editor %q failed: %v", a.editor(), err)
	}
	return nil
}

// editAgain tells why an edit was not taken, and where it is kept; on a terminal it asks whether to edit it again.
func (a *app) editAgain(ctx context.Context, file string, on editing, err error) (bool, error) {
	f := a.explain(err)
	text, readErr := os.ReadFile(file)
	if readErr == nil && bytes.Equal(text, on.text) {
		os.Remove(file) //nolint:errcheck // there is nothing in it to keep
		return false, f
	}
	if errors.Is(readErr, fs.ErrNotExist) {
		return false, f
	}
	if f.Code == string(fault.StaleRevision) {
		f.Hint = "the entry was edited meanwhile; open it again and bring your edit into that"
	}
	f.Hint = strings.Join(nonEmpty(f.Hint, "your edit is kept in "+file), "; ")
	if !a.InTerminal || !a.ErrTerminal || f.Code == codeInterrupted || f.Code == string(fault.StaleRevision) {
		return false, f
	}
	a.tell(f.show)
	again, err := a.yes(ctx, "Edit it again?")
	if err != nil || again {
		return again, err
	}
	f.told = true
	return false, f
}
