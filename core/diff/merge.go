package diff

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// Reason says why an edit conflicts although the other side may have left the value alone.
type Reason string

// The reasons that lie in the schema.
const (
	// FieldRemoved: the current schema has no such field, or none of a field inside the value.
	FieldRemoved Reason = "field_removed"
	// FieldRetyped: the current schema has the field, or one inside the value, with another type, with items of another type, or with one value where there
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

	frame  Frame          // the current one
	theirs jsontext.Value // until Detach
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
	return merge(made, current, sides{base, mine, theirs, base, mine})
}

// MergeRevisions is Merge for revisions that may have been written under other schemas and locales than those of now, each with its
// slug. made is the collection as mine was written under it, and may be current itself: what it declared and the current one does not
// declare any more, at any depth, takes part where base and mine differ in it.
func MergeRevisions(made, current *schema.Collection, locales value.Locales, base, mine, theirs Revision) (*Plan, error) {
	now := FrameOf(current, locales)
	var s sides
	err := errors.Join(now.read(base, &s.base), now.read(mine, &s.mine), now.read(theirs, &s.theirs))
	then := now
	s.baseThen, s.mineThen = s.base, s.mine
	if made != current {
		then = now.with(made)
		err = errors.Join(err, then.read(base, &s.baseThen), then.read(mine, &s.mineThen))
	}
	if err != nil {
		return nil, err
	}
	return merge(then, now, s)
}

// read is Side for a revision.
func (fr Frame) read(r Revision, side *jsontext.Value) (err error) {
	*side, err = fr.Side(r.Fields, r.Slug)
	return err
}

func merge(then, now Frame, s sides) (*Plan, error) {
	m := merger{made: then, current: now, plan: &Plan{frame: now, theirs: s.theirs}}
	err := m.members(then.root(), now.root(), s, nil)
	return m.plan, err
}

// Revision is the content of a revision; without fields, none.
type Revision struct {
	Fields jsontext.Value
	Slug   *string
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

// Detach copies the values of a plan out of the revisions that they are parts of, so that it keeps none of those in memory. It can
// not be resolved any more.
func (p *Plan) Detach() {
	p.theirs = nil
	for _, changes := range [][]Change{p.Replayed, p.Agreed} {
		for i, c := range changes {
			changes[i].Before, changes[i].After = c.Before.Clone(), c.After.Clone()
		}
	}
	for i, c := range p.Conflicts {
		p.Conflicts[i].Base, p.Conflicts[i].Mine, p.Conflicts[i].Theirs = c.Base.Clone(), c.Mine.Clone(), c.Theirs.Clone()
	}
}

// sides are the values at one path, nil where there is none: in the form of now, and base and mine also in the form of the schema that
// mine was written under, with what is not declared any more.
type sides struct{ base, mine, theirs, baseThen, mineThen jsontext.Value }

type merger struct {
	made, current Frame
	plan          *Plan
}

func (m *merger) members(made, current level, s sides, path Path) error {
	baseThen, mineThen, err := made.both(s.baseThen, s.mineThen)
	if err != nil {
		return err
	}
	base, mine, err := current.both(s.base, s.mine)
	if err != nil {
		return err
	}
	theirs, err := current.members(s.theirs)
	if err != nil {
		return err
	}
	for _, name := range current.names(baseThen, mineThen) {
		within := sides{base[name], mine[name], theirs[name], baseThen[name], mineThen[name]}
		if err := m.value(made.field(name), current.field(name), within, path.Member(name)); err != nil {
			return err
		}
	}
	return nil
}

// value decides about the value of one field, made and current being what the two schemas declare of it.
func (m *merger) value(made, current *schema.Field, s sides, path Path) error {
	if untouched, err := m.made.equal(made, s.baseThen, s.mineThen); err != nil || untouched {
		return err
	}
	was, dividedThen, err := m.made.divide(made, s.baseThen, s.mineThen)
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
	reason := reasonOf(made, current, dividedThen && was.locale != nil)
	if reason == "" {
		if reason, err = m.reasonWithin(made, current, s); err != nil {
			return err
		}
	}
	field := current
	if current == nil {
		field = made
	}
	if reason != "" { // the form of now has no place for some of it
		s.base, s.mine = s.baseThen, s.mineThen
	}
	return m.decide(field, s, path, reason)
}

// decide adds an edit of a value that does not divide to the plan.
func (m *merger) decide(f *schema.Field, s sides, path Path, reason Reason) error {
	if untouched, err := m.current.equal(f, s.base, s.mine); err != nil || untouched {
		return err // what mine cleared is not declared any more
	}
	agreed, err := m.current.equal(f, s.mine, s.theirs)
	if err != nil {
		return err
	}
	left, err := m.current.equal(f, s.base, s.theirs)
	if err != nil {
		return err
	}
	switch {
	case agreed:
		m.plan.Agreed = append(m.plan.Agreed, newChange(path, s.base, s.mine))
	case left && reason == "":
		m.plan.Replayed = append(m.plan.Replayed, newChange(path, s.base, s.mine))
	default:
		m.plan.Conflicts = append(m.plan.Conflicts, Conflict{path, s.base, s.mine, s.theirs, reason})
	}
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
