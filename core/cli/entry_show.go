package cli

import (
	"context"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
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

// shownField is a field with its value as a person reads it: a text as it is, a list as YAML, and of an object, such as one of locales,
// the YAML of each member.
type shownField struct {
	name  string
	parts []string
	block bool // it stands below the name, however short it is
}

func (f shownField) text() string { return strings.Join(f.parts, "\n") }

// fieldsOf are the members of an object.
func fieldsOf(object jsontext.Value) (fields []shownField, err error) {
	members, err := value.Members(object)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		f := shownField{name: m.Name, parts: []string{strings.TrimRight(shown(m.Value), "\n")}}
		switch kind := m.Value.Kind(); {
		case f.parts[0] == "":
			f.parts[0] = `""`
		case isNone(m.Value):
			f.parts[0] = "–"
		case kind == '{' || kind == '[':
			if f.parts, err = yamlParts(m.Value); err != nil {
				return nil, err
			}
			f.block = f.text() != "{}" && f.text() != "[]"
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// yamlParts are the YAML of each member of an object, or of a list as a whole.
func yamlParts(v jsontext.Value) (parts []string, err error) {
	all := []jsontext.Value{v}
	if v.Kind() == '{' {
		members, err := value.Members(v)
		if err != nil {
			return nil, err
		}
		for n, m := range members {
			one, err := json.Marshal(map[string]jsontext.Value{m.Name: m.Value})
			if err != nil {
				return nil, err
			}
			if n == 0 {
				all = nil
			}
			all = append(all, one)
		}
	}
	for _, one := range all {
		yaml, err := toYAML(one)
		if err != nil {
			return nil, err
		}
		parts = append(parts, strings.TrimRight(string(yaml), "\n"))
	}
	return parts, nil
}

// fields adds fields below each other: what is one short line beside its name, and anything else below it. Unless they are to be full,
// long values are cut to their first lines, each member of an object for itself.
func (p *page) fields(all []shownField, full bool) {
	names := 0
	for _, f := range all {
		names = max(names, runewidth.StringWidth(clean(f.name)))
	}
	var left leftOut
	for _, f := range all {
		text := f.text()
		beside := names + len(gap) + runewidth.StringWidth(text)
		if name := runewidth.FillRight(clean(f.name), names); !f.block && !strings.Contains(text, "\n") && (p.width == 0 || beside <= p.width) {
			p.line("%s%s%s", p.paint(dim, name), gap, text)
			continue
		}
		p.line("%s", p.paint(dim, f.name))
		for _, part := range f.parts {
			left.values = p.part(part, full) || left.values
		}
	}
	if what := left.what(); what != "" {
		p.line("%s", p.paint(dim, "--full shows "+what))
	}
}

// part adds lines that keep their indentation where they are wrapped, cut to the first ones unless they are to be full.
func (p *page) part(text string, full bool) (cut bool) {
	rest := ""
	if !full {
		text, rest = fold(text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		mark := yamlIndent.FindString(line)
		p.behind(gap+mark, runs{{line[len(mark):], plain}})
	}
	if rest != "" {
		p.line("%s%s", gap, p.paint(dim, rest))
	}
	return rest != ""
}

// yamlIndent is what stands before the text of a line of YAML.
var yamlIndent = regexp.MustCompile(`^ *(- )*`)
