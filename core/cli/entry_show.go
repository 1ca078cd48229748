package cli

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"svc/core/wire"
	"svc/shared/value"
)

func (a *app) entryShowCommand() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:   "show ENTRY",
		Short: "Show an entry, its newest draft and its change sets",
		Long: `Show an entry: where it stands, the fields of its newest draft, the open change sets that stage it, and the fields that several
of them make different. Objects and lists are shown as in "svc entries edit". On a terminal the end of long values is left out, unless --full
is given.`,
		Example: "  svc entries show posts/night-buses",
	}
	cmd.Flags().BoolVar(&full, "full", false, "show long values in full")
	return a.inProject(cmd, ordinary, func(ctx context.Context, args []string) error {
		id, err := a.entryID(ctx, args[0])
		if err != nil {
			return err
		}
		e, err := ask(a, "reading the entry", func() (wire.EntryInSets, error) { return a.client.EntryInSets(ctx, a.project, id) })
		if err != nil {
			return err
		}
		var fields []shownField
		if e.Draft != nil {
			if fields, err = fieldsOf(e.Draft.Fields); err != nil {
				return err
			}
		}
		return a.answer(e, func(p *page) { showEntry(p, e, fields, full) })
	})
}

func showEntry(p *page, e wire.EntryInSets, fields []shownField, full bool) {
	facts := [][2]string{{"entry", string(e.ID)}, {"collection", e.Collection}, {"slug", orDash(deref(e.Slug))}, {"status", e.Status}, {"created", e.CreatedAt.String()}}
	for _, since := range []struct {
		name string
		time wire.Time
	}{{"published", e.PublishedAt}, {"unpublished", e.UnpublishedAt}, {"deleted", e.DeletedAt}} {
		if !since.time.IsZero() {
			facts = append(facts, [2]string{since.name, since.time.String()})
		}
	}
	p.facts(facts...)
	if len(fields) > 0 {
		p.line("")
		p.fields(fields, full || p.width == 0)
	}
	if len(e.OpenChangeSets) == 0 {
		return
	}
	p.line("")
	var t table
	t.row(plain, "CHANGE SET", "STATUS", heading("TITLE"), heading("CHANGES"))
	for _, s := range e.OpenChangeSets {
		changes := strings.Join(s.Fields, ", ")
		if s.Operation != "" {
			changes = string(s.Operation)
		}
		t.row(looks[string(s.Status)], s.ID, s.Status, s.Title, changes)
	}
	p.table(t)
	for _, f := range e.ContendedFields {
		p.line("%s %s: %s change it to different values", p.paint(yellow, "contended"), f.Path, counted(len(f.ChangeSetIDs), "change set", "change sets"))
	}
}

// shownField is a field with its value as a person reads it: a text as it is, an object or a list as YAML.
type shownField struct{ name, text string }

// fieldsOf are the members of an object.
func fieldsOf(object jsontext.Value) (fields []shownField, err error) {
	members, err := value.Members(object)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		text := shown(m.Value)
		switch kind := m.Value.Kind(); {
		case text == "":
			text = `""`
		case isNone(m.Value):
			text = "–"
		case kind == '{' || kind == '[':
			yaml, err := toYAML(m.Value)
			if err != nil {
				return nil, err
			}
			text = string(yaml)
		}
		fields = append(fields, shownField{m.Name, strings.TrimRight(text, "\n")})
	}
	return fields, nil
}

// fields adds fields below each other: what is one short line beside its name, and anything else below it. Unless they are to be full,
// long values are cut to their first lines.
func (p *page) fields(all []shownField, full bool) {
	names := 0
	for _, f := range all {
		names = max(names, runewidth.StringWidth(clean(f.name)))
	}
	var left leftOut
	for _, f := range all {
		beside := names + len(gap) + runewidth.StringWidth(f.text)
		if name := runewidth.FillRight(clean(f.name), names); !strings.Contains(f.text, "\n") && (p.width == 0 || beside <= p.width) {
			p.line("%s%s%s", p.paint(dim, name), gap, f.text)
			continue
		}
		p.line("%s", p.paint(dim, f.name))
		text, rest := f.text, ""
		if !full {
			text, rest = fold(text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			p.behind(gap, runs{{line, plain}})
		}
		if rest != "" {
			p.line("%s%s", gap, p.paint(dim, rest))
			left.values = true
		}
	}
	if what := left.what(); what != "" {
		p.line("%s", p.paint(dim, "--full shows "+what))
	}
}
