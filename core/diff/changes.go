package diff

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Kind says what became of a value.
type Kind string

// The kinds of a change (interface, "Diff item").
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Change is one difference between two states of an entry's fields (interface, "Diff item").
type Change struct {
	Path Path `json:"path"`
	// Before and After are the values as they are stored, in compact JSON, numbers with their text; nil, in JSON null, is none.
	Before jsontext.Value `json:"before"`
	After  jsontext.Value `json:"after"`
	Kind   Kind           `json:"kind"`
	// Segments are those of prose: a text, markdown or richText of which the longer side has more than 160 characters.
	// richText is compared as canonical JSON.
	Segments []Segment `json:"segments,omitempty"`
}

func newChange(path Path, before, after jsontext.Value) Change {
	kind := Changed
	switch {
	case before == nil:
		kind = Added
	case after == nil:
		kind = Removed
	}
	return Change{Path: path, Before: before, After: after, Kind: kind}
}

// WordBudget is how many bytes of prose are compared by word for one request, both sides together. In what is over it, only what two
// texts begin and end with is equal.
const WordBudget = 2 << 20

// Changes lists what differs between two states of stored fields, in the order of the schema (interface, "Diff item"). Either may
// be nil: without before everything is added, without after everything is removed. It takes what is compared by word from the budget.
func Changes(frame Frame, before, after jsontext.Value, budget *int) ([]Change, error) {
	c := comparison{frame: frame, budget: budget}
	err := c.members(frame.root(), before, after, nil)
	return c.changes, err
}

// Edits is Changes without segments, which take long for large texts.
func Edits(frame Frame, before, after jsontext.Value) ([]Change, error) {
	c := comparison{frame: frame}
	err := c.members(frame.root(), before, after, nil)
	return c.changes, err
}

type comparison struct {
	frame   Frame
	budget  *int // of words; nil: no segments are wanted
	changes []Change
}

func (c *comparison) members(l level, before, after jsontext.Value, path Path) error {
	was, is, err := l.both(before, after)
	if err != nil {
		return err
	}
	for _, name := range l.names(was, is) {
		if err := c.value(l.field(name), was[name], is[name], path.Member(name)); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) value(f *schema.Field, before, after jsontext.Value, path Path) error {
	l, divided, err := c.frame.divide(f, before, after)
	if err != nil {
		return err
	}
	if divided {
		return c.members(l, before, after, path)
	}
	same, err := c.frame.equal(f, before, after)
	if err != nil || same {
		return err
	}
	change := newChange(path, before, after)
	if c.budget != nil {
		if change.Segments, err = c.frame.segments(f, before, after, c.budget); err != nil {
			return err
		}
	}
	c.changes = append(c.changes, change)
	return nil
}

// proseThreshold is how many characters a side must exceed to be compared by word (interface, "Limits").
const proseThreshold = 160

// segments compares two values by word, and returns nil where they are no prose or too short.
func (fr Frame) segments(f *schema.Field, before, after jsontext.Value, budget *int) ([]Segment, error) {
	was, isProse, err := fr.prose(f, before)
	if err != nil || !isProse {
		return nil, err
	}
	is, isProse, err := fr.prose(f, after)
	if err != nil || !isProse || max(utf8.RuneCount(was), utf8.RuneCount(is)) <= proseThreshold {
		return nil, err
	}
	*budget -= len(was) + len(is)
	return segments(string(was), string(is), *budget < 0), nil
}

// prose returns the text of a value that is compared by word; an unset one has none.
func (fr Frame) prose(f *schema.Field, raw jsontext.Value) (text []byte, isProse bool, err error) {
	if f == nil || f.Type != schema.TypeText && f.Type != schema.TypeMarkdown && f.Type != schema.TypeRichText {
		return nil, false, nil
	}
	if raw == nil {
		return nil, true, nil
	}
	if f.Type != schema.TypeRichText {
		text, isProse = schema.Unquote(raw)
		return text, isProse, nil
	}
	if isMap, err := fr.Locales.IsMap(f, raw); err != nil || isMap {
		return nil, false, err
	}
	text, err = appendCanonical(nil, raw)
	return text, true, err
}
