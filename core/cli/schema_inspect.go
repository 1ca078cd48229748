package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"svc/shared/schema"
	"svc/shared/schema/dsl"
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
}

func (a *app) schemaInspectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect [COLLECTION]",
		Short: "Show what the files declare, without a request",
		Long:  "Show what the files of the schema folder declare, or the fields of one collection. The files are checked as a push\nwould check them; nothing is sent.",
	}
	return a.does(cmd, func(ctx context.Context, args []string) error {
		s, err := a.mustLoad()
		if err != nil {
			return err
		}
		set, err := a.loadSchemas(ctx, s.schemaDir)
		if err != nil {
			return err
		}
		show := func(p *page) { p.showCollections(set) }
		if len(args) == 1 {
			only, err := pick(set, args[0])
			if err != nil {
				return err
			}
			set.Collections, show = []dsl.Declared{only}, func(p *page) { p.showCollection(only) }
		}
		return a.answer(inspectedOf(s.schemaDir.value, set), show)
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
	f := failed("the files declare no collection %q", name)
	f.hint = "they declare " + strings.Join(names, ", ")
	return dsl.Declared{}, f
}

func inspectedOf(dir string, set dsl.Set) inspected {
	out := inspected{Dir: dir}
	for _, c := range set.Collections {
		out.Collections = append(out.Collections, inspectedCollection{c.Name, c.File, c.Line, c.Hash(), c.Canonical()})
	}
	return out
}

func (p *page) showCollections(set dsl.Set) {
	t := table{head: []string{"COLLECTION", "KIND", "VISIBILITY", "FIELDS", "PATH", "FILE"}, flex: 5}
	for _, c := range set.Collections {
		look := plain
		if c.Visibility == schema.VisibilityPublic {
			look = green
		}
		t.row(painted(bold, c.Name), text(string(c.Kind)), painted(look, string(c.Visibility)), text(count(len(c.Fields))),
			text(orDash(c.Path)), painted(dim, c.File))
	}
	p.table(t)
}

func (p *page) showCollection(c dsl.Declared) {
	p.facts(
		[2]string{"collection", c.Name + ", " + c.Label},
		[2]string{"kind", string(c.Kind) + ", " + string(c.Visibility)},
		[2]string{"title field", orDash(c.TitleField)},
		[2]string{"path", orDash(c.Path)},
		[2]string{"policy", counted(len(c.Policy), "rule", "rules")},
		[2]string{"file", c.File + ":" + strconv.Itoa(c.Line)},
		[2]string{"hash", c.Hash()},
	)
	p.line("")
	t := table{head: []string{"FIELD", "TYPE", "OPTIONS"}, flex: 2, wrap: true}
	addFields(&t, "", c.Fields)
	p.table(t)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
