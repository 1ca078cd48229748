package diff

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// Reason says why an edit conflicts although the other side may have left the value alone.
type Reason string

// The reasons that lie in the schema.
const (
	// FieldRemoved: the current schema has no such field.
	FieldRemoved Reason = "field_removed"
	// FieldRetyped: the current schema has the field with another type, with items of another type, or with one value where there
	// were several or one for each locale.
	FieldRetyped Reason = "field_retyped"
)

// Conflict is a value that both sides changed differently, or that has no place under the current schema (interface, "Rebase").
type Conflict struct {
	Path Path `json:"path"`
	// Base, Mine and Theirs are the values of the three sides; nil, in JSON null, is none.
	Base   jsontext.Value `json:"base"`
	Mine   jsontext.Value `json:"mine"`
	Theirs jsontext.Value `json:"theirs"`
	// Reason is empty where the values alone conflict.
	Reason Reason `json:"reason,omitempty"`
}

// Plan says what a rebase does with each of my edits (interface, "Rebase"), each list in the order of the schema.
type Plan struct {
	// Replayed are my edits of what the other side left alone.
	Replayed []Change `json:"replayed"`
	// Agreed are my edits that the other side made as well.
	Agreed    []Change   `json:"agreed"`
	Conflicts []Conflict `json:"conflicts"`

	frame  Frame // the current one
	theirs jsontext.Value
}

// Take says which side's value a conflict ends with.
type Take bool

// The sides to take (interface, "Rebase": onConflict).
const (
	TakeTheirs Take = false
	TakeMine   Take = true
)

// Merge plans how my edits, those from base to mine, are replayed on theirs. made is the frame that mine was written under, current
// the one of now, which theirs is read by. Each side may be nil. Changes in the plan carry no segments.
func Merge(made, current Frame, base, mine, theirs jsontext.Value) (*Plan, error) {
	m := merger{made: made, current: current, plan: &Plan{frame: current, theirs: theirs}}
	err := m.members(made.root(), current.root(), sides{base, mine, theirs}, nil)
	return m.plan, err
}

// MergeRevisions is Merge for revisions that may have been written under other schemas and locales than those of now, each with its
// slug. made is the collection as mine was written under it. A field that it declared and the current one does not declare any more
// takes part where mine has it.
func MergeRevisions(made, current *schema.Collection, locales value.Locales, base, mine, theirs Revision) (*Plan, error) {
	now := FrameOf(current, locales)
	then := Frame{Locales: locales}
	for _, f := range FrameOf(made, locales).Fields {
		if is := now.Fields.Get(f.Key); is != nil && reasonOf(f, is, f.Localized) == "" {
			f = is // sides have the form of now
		}
		then.Fields = append(then.Fields, f)
	}
	var sides [3]jsontext.Value
	for n, r := range []Revision{base, mine, theirs} {
		var err error
		if sides[n], err = now.Side(r.Fields, r.Slug); err != nil {
			return nil, err
		}
	}
	rest, err := undeclared(now, mine.Fields)
	if err != nil {
		return nil, err
	}
	former, err := undeclared(now, base.Fields)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		if sides[1], err = appendMember(sides[1], name, rest[name]); err != nil {
			return nil, err
		}
		if raw, had := former[name]; had {
			if sides[0], err = appendMember(sides[0], name, raw); err != nil {
				return nil, err
			}
		}
	}
	return Merge(then, now, sides[0], sides[1], sides[2])
}

// Revision is the content of a revision; without fields, none.
type Revision struct {
	Fields jsontext.Value
	Slug   *string
}

// undeclared are the members that a frame does not declare.
func undeclared(fr Frame, fields jsontext.Value) (members, error) {
	all, err := level{}.members(fields)
	maps.DeleteFunc(all, func(name string, _ jsontext.Value) bool { return fr.Fields.Get(name) != nil })
	return all, err
}

// Slug is the slug of what a plan leads to, where slugs stand in no field.
func (p *Plan) Slug(resolved jsontext.Value) (slug *string, beside bool, err error) {
	return p.frame.Slug(resolved)
}

// Resolve returns the stored fields that a plan leads to: theirs, with what is replayed of mine, and in each conflict the value of
// the side that is taken. Mine may bring values for which the current schema has no place; the caller must check the fields.
func (p *Plan) Resolve(take Take) (jsontext.Value, error) {
	changes := slices.Clone(p.Replayed)
	if take == TakeMine {
		for _, c := range p.Conflicts {
			changes = append(changes, newChange(c.Path, c.Theirs, c.Mine))
		}
	}
	return Apply(p.frame, p.theirs, changes)
}

// sides are the three values at one path, nil where there is none.
type sides struct{ base, mine, theirs jsontext.Value }

type merger struct {
	made, current Frame
	plan          *Plan
}

func (m *merger) members(made, current level, s sides, path Path) error {
	base, mine, err := made.both(s.base, s.mine)
	if err != nil {
		return err
	}
	theirs, err := current.members(s.theirs)
	if err != nil {
		return err
	}
	for _, name := range current.names(base, mine) {
		err := m.value(made.field(name), current.field(name), sides{base[name], mine[name], theirs[name]}, path.Member(name))
		if err != nil {
			return err
		}
	}
	return nil
}

// value decides about the value of one field, made and current being what the two schemas declare of it.
func (m *merger) value(made, current *schema.Field, s sides, path Path) error {
	if untouched, err := m.made.equal(made, s.base, s.mine); err != nil || untouched {
		return err
	}
	was, dividedThen, err := m.made.divide(made, s.base, s.mine)
	if err != nil {
		return err
	}
	is, dividedNow, err := m.current.divide(current, s.base, s.mine, s.theirs)
	if err != nil {
		return err
	}
	if dividedThen && dividedNow && (was.locale == nil) == (is.locale == nil) {
		return m.members(was, is, s, path)
	}
	field := current
	if current == nil {
		field = made
	}
	agreed, err := m.current.equal(field, s.mine, s.theirs)
	if err != nil {
		return err
	}
	if agreed {
		m.plan.Agreed = append(m.plan.Agreed, newChange(path, s.base, s.mine))
		return nil
	}
	left, err := m.current.equal(field, s.base, s.theirs)
	if err != nil {
		return err
	}
	reason := reasonOf(made, current, dividedThen && was.locale != nil)
	if left && reason == "" {
		m.plan.Replayed = append(m.plan.Replayed, newChange(path, s.base, s.mine))
		return nil
	}
	m.plan.Conflicts = append(m.plan.Conflicts, Conflict{path, s.base, s.mine, s.theirs, reason})
	return nil
}

// reasonOf tells what became of a field since a value of it was made; isMap says that the value is a locale map.
func reasonOf(made, current *schema.Field, isMap bool) Reason {
	switch {
	case current == nil:
		return FieldRemoved
	case made == nil:
		return ""
	case made.Type != current.Type, made.Multiple && !current.Multiple, isMap && !current.Localized:
		return FieldRetyped
	case made.Of != nil && current.Of != nil && made.Of.Type != current.Of.Type:
		return FieldRetyped
	}
	return ""
}
