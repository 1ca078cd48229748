package diff

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// Apply makes changes in stored fields: what each leads to becomes its After, or is cleared. Changes of one side are applied, so
// none may lead into the value of another. It returns the stored form, in the order of the schema, but checks no value against its
// field. A path that leads into a value that does not divide is an error. base may be nil.
func Apply(frame Frame, base jsontext.Value, changes []Change) (jsontext.Value, error) {
	w := writer{frame: frame, leaf: func(dst []byte, _ *schema.Field, raw jsontext.Value) ([]byte, error) { return append(dst, raw...), nil }}
	return w.object(nil, frame.root(), base, changes, 0)
}

// writer writes values in the order of the schema, without what is unset; leaf appends one that does not divide.
type writer struct {
	frame Frame
	leaf  func(dst []byte, f *schema.Field, raw jsontext.Value) ([]byte, error)
}

// object appends an object with the changes made that lead into it, by their steps from depth on.
func (w writer) object(dst []byte, l level, raw jsontext.Value, changes []Change, depth int) ([]byte, error) {
	members, err := l.members(raw)
	if err != nil {
		return dst, err
	}
	within := map[string][]Change{}
	for _, c := range changes {
		switch {
		case len(c.Path) <= depth || c.Path[depth].IsItem:
			return dst, astray(c)
		case len(c.Path) > depth+1:
			name := c.Path[depth].Name
			within[name] = append(within[name], c)
			if _, there := members[name]; !there {
				members[name] = nil // to be visited all the same
			}
		case c.Kind == Removed || c.After == nil:
			delete(members, c.Path[depth].Name)
		default:
			members[c.Path[depth].Name] = c.After
		}
	}
	dst = append(dst, '{')
	for _, name := range l.names(members) {
		before := len(dst)
		if dst[before-1] != '{' {
			dst = append(dst, ',')
		}
		if dst, err = jsontext.AppendQuote(dst, name); err != nil {
			return dst, err
		}
		dst = append(dst, ':')
		written, err := w.value(dst, l.field(name), members[name], within[name], depth+1)
		if err != nil {
			return dst, err
		}
		if len(written) == len(dst) {
			written = written[:before] // unset
		}
		dst = written
	}
	return append(dst, '}'), nil
}

// value appends a value of a field with the changes made that lead into it, and nothing where it is unset.
func (w writer) value(dst []byte, f *schema.Field, raw jsontext.Value, changes []Change, depth int) ([]byte, error) {
	if raw == nil && f != nil && f.Localized && !w.frame.Locales.None() {
		raw = jsontext.Value("{}") // a locale map of nothing
	}
	inner, divided, err := w.frame.divide(f, raw)
	switch {
	case err != nil:
		return dst, err
	case !divided && len(changes) > 0:
		return dst, astray(changes[0])
	case !divided:
		return w.leaf(dst, f, raw)
	}
	written, err := w.object(dst, inner, raw, changes, depth)
	if inner.locale != nil && len(written) == len(dst)+len("{}") {
		return dst, err
	}
	return written, err
}

func astray(c Change) error {
	return fmt.Errorf("the path %s leads into a value that has no members", c.Path)
}
