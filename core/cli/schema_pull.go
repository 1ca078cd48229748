package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/shared/schema"
)

// pullResult is what a pull did.
type pullResult struct {
	Dir    string `json:"dir"`
	InSync bool   `json:"inSync"`
	// Files says what became of each collection, by its name.
	Files []pulledFile `json:"files"`
	// EditorFiles are there where the folder was new: what lets an editor understand the files.
	EditorFiles []string `json:"editorFiles,omitempty"`
	// PullRequest is there where --open-pr had something to commit.
	PullRequest *openedRequest `json:"pullRequest,omitempty"`
}

func (a *app) schemaPullCommand() *cobra.Command {
	var openPR bool
	cmd := &cobra.Command{
		Use:   "pull",
		Short: "Write the deployed schemas into the folder",
		Long: `Write the deployed schemas into the schema folder, one TypeScript file per collection: NAME.ts, or the file that declares
the collection already. A file is left as it is where it declares what is deployed, however it is written. Files of
collections that are not deployed are removed. Where the folder has changes that are not committed to git, or is in no git
repository and files would be overwritten or removed, that has to be confirmed, or accepted by --yes. A file that declares
several collections is never changed: where one of them differs, nothing is written, and what to do by hand is said. A folder
without schemas also gets the tsconfig.json and the types that "svc init" puts there for editors, unless it has them. It
needs a key with the scope schema:read that sees every collection.

With --open-pr the folder stays as it is. The changed files are committed on a branch that is named after their content,
the branch is pushed, and a pull request is opened at the forge that SVC_FORGE_URL (or forgeUrl in ` + projectFileName + `) names by
the address of its API, such as https://git.example.com/api/v3, with SVC_FORGE_TOKEN. A branch or a pull request that is
there already is used. Where no forge is configured, the branch is pushed alone, for someone to open the pull request by
hand: that is said, and the exit code is 1. It is 0 where nothing differs. Uncommitted changes in the folder are refused.
The commit is made in a temporary git worktree, without hooks.`,
	}
	cmd.Flags().BoolVar(&openPR, "open-pr", false, "open a pull request with the changes, and leave the folder alone")
	a.addYes(cmd, "do not ask before files are overwritten or removed")
	return a.does(cmd, func(ctx context.Context, _ []string) error { return a.pull(ctx, openPR) })
}

func (a *app) pull(ctx context.Context, openPR bool) error {
	s, err := a.mustLoad()
	if err != nil {
		return err
	}
	result := pullResult{Dir: s.schemaDir.value}
	var r *repository
	if openPR { // refused before anything is asked of the service
		if r, err = a.cleanRepository(ctx, result.Dir); err != nil {
			return err
		}
	}
	if err := a.connectProject(ordinary); err != nil {
		return err
	}
	deployed, err := ask(a, "reading the deployed schemas", func() ([]*schema.Collection, error) { return a.deployedSchemas(ctx) })
	if err != nil {
		return err
	}
	if openPR {
		err = a.propose(ctx, r, &result, deployed)
	} else {
		err = a.writeDeployed(ctx, &result, deployed)
	}
	if err != nil {
		return err
	}
	err = a.answer(result, func(p *page) { a.showPulled(p, result, a.project) })
	return cmp.Or(err, outcome(result.PullRequest != nil && result.PullRequest.Outcome == requestNone, ExitFailed))
}

// writeDeployed changes the folder.
func (a *app) writeDeployed(ctx context.Context, r *pullResult, deployed []*schema.Collection) error {
	files, fresh, err := a.planPull(ctx, r.Dir, r.Dir, deployed)
	if err != nil || r.setFiles(files) {
		return err
	}
	if fresh {
		beside, err := missingEditorFiles(r.Dir)
		if err != nil {
			return err
		}
		for _, f := range beside {
			r.EditorFiles = append(r.EditorFiles, f.name)
			files = append(files, pulledFile{File: f.name, Outcome: fileCreated, text: f.data})
		}
	}
	if err := a.confirmPull(ctx, r.Dir, files); err != nil {
		return err
	}
	return a.writePulled(r.Dir, files)
}

// setFiles takes in what becomes of the files of collections, and tells whether all of them stay as they are.
func (r *pullResult) setFiles(files []pulledFile) (inSync bool) {
	r.Files = append([]pulledFile{}, files...)
	r.InSync = !slices.ContainsFunc(files, pulledFile.changes)
	return r.InSync
}

// deployedSchemas reads the whole set in force. A key that sees a part of it would have the rest removed.
func (a *app) deployedSchemas(ctx context.Context) ([]*schema.Collection, error) {
	who, err := a.client.Whoami(ctx)
	if err != nil {
		return nil, err
	}
	if len(who.Collections) > 0 {
		return nil, failed("the API key sees the collections %s alone; a pull needs one that sees all", strings.Join(who.Collections, ", "))
	}
	answer, err := a.client.Schema(ctx, a.project)
	if err != nil {
		return nil, err
	}
	set := make([]*schema.Collection, len(answer.Collections))
	for i, d := range answer.Collections {
		parsed, err := schema.Parse(d.Schema)
		if err != nil {
			return nil, failed("the deployed schema of %s says what this program does not know; a newer one may: %v", d.Name, err)
		}
		set[i] = parsed
	}
	slices.SortFunc(set, func(a, b *schema.Collection) int { return strings.Compare(a.Name, b.Name) })
	return set, nil
}

func (a *app) showPulled(p *page, r pullResult, project string) {
	var t table
	same := 0
	for _, f := range r.Files {
		look := pullMarks[f.Outcome]
		if f.Outcome == fileUnchanged {
			same++
			continue
		}
		t.row(look.paint, look.mark, f.File, f.Collection+": "+look.text)
	}
	for _, file := range r.EditorFiles {
		look := pullMarks[fileCreated]
		t.row(look.paint, look.mark, file, "for editors: "+look.text)
	}
	p.table(t)
	switch {
	case len(r.Files) == 0:
		p.line("Nothing is deployed to %s, and %s declares nothing: there is nothing to write.", project, a.shown(r.Dir))
	case r.InSync:
		p.line("In sync: the files of %s declare what is deployed to %s.", a.shown(r.Dir), project)
	case same == 0:
		p.line("compared with %s: every collection differs", project)
	default:
		p.line("compared with %s: %s", project, counted(same, "collection unchanged", "collections unchanged"))
	}
	if r.PullRequest != nil {
		r.PullRequest.show(p)
	}
}

// pullMarks is how each outcome is marked, and what it is called.
var pullMarks = map[fileOutcome]struct {
	mark  string
	paint paint
	text  string
}{
	fileCreated: {"+", green, "new file"},
	fileUpdated: {"~", yellow, "changed"},
	fileRemoved: {"!", red, "removed, since it is not deployed"},
}
