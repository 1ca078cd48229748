package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// begun is what svc init left in a folder. Paths are as the program would open them.
type begun struct {
	Dir       string   `json:"dir"`
	SchemaDir string   `json:"schemaDir"`
	Written   []string `json:"written"`
	// Existing are files that were there before, and are as they were.
	Existing []string `json:"existing"`
}

func (a *app) initCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Start a folder of schemas",
		Long: `Start a folder of schemas, here or in FOLDER: example collections in TypeScript, a tsconfig.json and the types
of "svc/schema" beside them, so that an editor understands the files with nothing installed, and the project file. Those
types, in ` + declarations + ` of the schema folder, are the reference of all builders and their options.
--api-url, --project and --organization are written into the project file. No file is ever overwritten, and examples are
only put where no schemas are yet; so it can be called again, to have a file that was removed written anew.`,
	}
	return a.does(cmd, func(ctx context.Context, args []string) error {
		b := begun{Dir: a.Dir, Written: []string{}, Existing: []string{}}
		if len(args) == 1 {
			b.Dir = a.absolute(args[0])
			if info, err := os.Stat(b.Dir); err == nil && !info.IsDir() {
				return usage("name a folder, which need not be there yet", "%s is a file", a.shown(b.Dir))
			}
		}
		if err := a.begin(ctx, &b); err != nil {
			return err
		}
		return a.answer(b, func(p *page) { a.showBegun(p, b) })
	})
}

// begin writes what is missing.
func (a *app) begin(ctx context.Context, b *begun) error {
	project, err := a.newProjectFile(b)
	if err != nil {
		return err
	}
	files, err := a.starterFiles(ctx, b.SchemaDir)
	if err != nil {
		return err
	}
	if err := a.writeNew(b, filepath.Join(b.Dir, projectFileName), project); err != nil {
		return err
	}
	for _, f := range files {
		if err := a.writeNew(b, filepath.Join(b.SchemaDir, filepath.FromSlash(f.name)), f.data); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) showBegun(p *page, b begun) {
	var t table
	for _, file := range b.Written {
		t.row(green, "wrote", a.shown(file))
	}
	for _, file := range b.Existing {
		t.row(dim, "exists", a.shown(file))
	}
	p.table(t)
	p.line("")
	p.line("Next:")
	if b.Dir != a.Dir {
		p.line("  %s", p.paint(bold, "cd "+a.shown(b.Dir)))
	}
	var next table
	next.row(bold, "  svc schema inspect", "what the files declare")
	next.row(bold, "  svc status", "which service and which project the commands work with")
	next.row(bold, "  svc schema diff", "what a push would change")
	next.row(bold, "  svc schema push", "deploy the files")
	p.table(next)
	p.line("")
	p.line("Every builder and option is explained in %s.", a.shown(filepath.Join(b.SchemaDir, filepath.FromSlash(declarations))))
}
