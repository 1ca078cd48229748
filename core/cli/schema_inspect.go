package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/schema"
	"svc/shared/schema/dsl"
	"svc/shared/schema/typescript"
)

// inspected is what the files of a folder declare.
type inspected struct {
	Dir         string                `json:"dir"`
	Collections []inspectedCollection `json:"collections"`
}

type inspectedCollection struct {
	Name   string         `json:"name"`
	File   string         `json:"file"` // from Dir
	Line   int            `json:"line"`
	Hash   string         `json:"hash"`
	Schema jsontext.Value `json:"schema"`
	// Source is the TypeScript file that a pull would write, where that was asked for.
	Source *string `json:"source,omitempty"`
}

// inspecting are the flags of the command.
type inspecting struct {
	version int
	source  bool
}

func (a *app) schemaInspectCommand() *cobra.Command {
	var f inspecting
	cmd := &cobra.Command{
		Use:   "inspect [COLLECTION]",
		Short: "Show what the files declare, or a version that was deployed",
		Long: `Show what the files of the schema folder declare, or the fields of one collection. The files are checked as a push
would check them; nothing is sent.

With --version the collection is shown as that version of it was deployed, also where it was removed since; the folder is
not read, and the scope schema:read is needed. With --source the collection is printed as the TypeScript file that
"svc schema pull" would write. Both together bring an earlier version back into the folder, to be pushed again.`,
		Example: "  svc schema inspect notes --version 1 --source > svc/schema/notes.ts",
	}
	cmd.Flags().IntVar(&f.version, "version", 0, "`NUMBER` of a deployed version to show instead of the files")
	cmd.Flags().BoolVar(&f.source, "source", false, "print the collection as a TypeScript file")
	return a.does(cmd, func(ctx context.Context, args []string) error {
		asked := cmd.Flags().Changed("version")
		switch {
		case len(args) == 0 && (asked || f.source):
			return usage("the call is: svc schema inspect COLLECTION --version NUMBER --source", "the collection is not named")
		case asked && f.version < 1:
			return usage("versions count from 1", "--version is %d", f.version)
		case asked && !collectionName.MatchString(args[0]):
			return usage("", "%q is no name of a collection", args[0])
		case asked:
			return a.inspectVersion(ctx, args[0], int64(f.version), f.source)
		}
		set, dir, err := a.loadSchemas(ctx)
		if err != nil {
			return err
		}
		out, show := inspectedOf(dir, set), func(p *page) { p.showCollections(set) }
		if len(args) == 1 {
			only, err := pick(set, args[0])
			if err != nil {
				return err
			}
			set.Collections = []dsl.Declared{only}
			out, show = inspectedOf(dir, set), func(p *page) {
				p.showCollection(only.Collection, [2]string{"file", only.File + ":" + strconv.Itoa(only.Line)})
			}
			if f.source {
				text := typescript.Source(only.Collection)
				out.Collections[0].Source = new(string(text))
				show = func(p *page) { p.Write(text) }
			}
		}
		return a.answer(out, show)
	})
}

func pick(set dsl.Set, name string) (dsl.Declared, error) {
	var names []string
	for _, c := range set.Collections {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return dsl.Declared{}, failed("the files declare no collection %q", name).hinted("they declare " + strings.Join(names, ", "))
}

func inspectedOf(dir string, set dsl.Set) inspected {
	out := inspected{Dir: dir}
	for _, c := range set.Collections {
		out.Collections = append(out.Collections, inspectedCollection{
			Name: c.Name, File: c.File, Line: c.Line, Hash: c.Hash(), Schema: c.Canonical(),
		})
	}
	return out
}

func (p *page) showCollections(set dsl.Set) {
	var t table
	t.row(plain, "COLLECTION", "KIND", "VISIBILITY", "FIELDS", "PATH", "FILE")
	for _, c := range set.Collections {
		t.row(bold, c.Name, string(c.Kind), string(c.Visibility), count(len(c.Fields)), orDash(c.Path), c.File)
	}
	p.table(t)
}

// showCollection shows the fields of a collection, and where it is from.
func (p *page) showCollection(c *schema.Collection, from ...[2]string) {
	facts := [][2]string{
		{"collection", c.Name + ", " + c.Label},
		{"kind", string(c.Kind) + ", " + string(c.Visibility)},
		{"title field", orDash(c.TitleField)},
		{"path", orDash(c.Path)},
		{"policy", counted(len(c.Policy), "rule", "rules")},
	}
	p.facts(append(append(facts, from...), [2]string{"hash", c.Hash()})...)
	p.line("")
	var t table
	t.row(plain, "FIELD", "TYPE", heading("OPTIONS"))
	addFields(&t, "", c.Fields)
	p.table(t)
}

// inspectedVersion is a version of a collection that was deployed once.
type inspectedVersion struct {
	Name      string         `json:"name"`
	Version   uint32         `json:"version"`
	Hash      string         `json:"hash"`
	Summary   *string        `json:"summary"`
	CreatedBy *string        `json:"createdBy"`
	CreatedAt string         `json:"createdAt"`
	Schema    jsontext.Value `json:"schema"`
	// Source is the TypeScript file, where that was asked for.
	Source *string `json:"source,omitempty"`
}

// inspectVersion shows a version as the service keeps it, also of a collection that was removed.
func (a *app) inspectVersion(ctx context.Context, name string, number int64, source bool) error {
	if err := a.connectProject(ordinary); err != nil {
		return err
	}
	versions, err := ask(a, "reading the versions of "+name, func() ([]wire.CollectionVersion, error) { return a.client.CollectionVersions(ctx, a.project, name) })
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return failed("the service knows no version of %s", name)
	}
	i := slices.IndexFunc(versions, func(v wire.CollectionVersion) bool { return int64(v.Number) == number })
	if i < 0 {
		return failed("the collection %s of %s has no version %d", name, a.project, number).
			hinted("the newest one is " + decimal(uint64(versions[0].Number)))
	}
	v := versions[i]
	parsed, err := schema.Parse(v.Schema)
	if err != nil {
		return failed("version %d of %s says what this program does not know; a newer one may: %v", number, name, err)
	}
	out := inspectedVersion{
		Name: name, Version: v.Number, Hash: v.Hash, Summary: orNull(v.Summary), CreatedBy: v.CreatedBy,
		CreatedAt: v.CreatedAt.String(), Schema: v.Schema,
	}
	if source {
		text := typescript.Source(parsed)
		out.Source = new(string(text))
		return a.answer(out, func(p *page) { p.Write(text) })
	}
	return a.answer(out, func(p *page) {
		from := [][2]string{{"version", decimal(uint64(v.Number)) + " of " + a.project + ", pushed at " + out.CreatedAt}}
		if v.Summary != "" {
			from = append(from, [2]string{"summary", v.Summary})
		}
		p.showCollection(parsed, from...)
	})
}
