package diff

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// with is the frame that declares what made does as well, at every level. A field that was retyped is as made has it. The slug is one
// field, that of now, or where there are no slugs now, that of made.
func (fr Frame) with(made *schema.Collection) Frame {
	then := FrameOf(made, fr.Locales)
	declared := made.Fields
	if fr.slug != "" {
		isSlug := func(f *schema.Field) bool { return f.Type == schema.TypeSlug && f.Key != fr.slug }
		then.Fields, declared = slices.DeleteFunc(slices.Clone(then.Fields), isSlug), slices.DeleteFunc(slices.Clone(declared), isSlug)
	} else {
		fr.slug = then.slug
	}
	c := *fr.collection
	c.Fields = joined(declared, c.Fields)
	fr.collection, fr.Fields = &c, joined(then.Fields, fr.Fields)
	return fr
}

func joined(made, current schema.Fields) schema.Fields {
	all := slices.Clone(current)
	for _, was := range made {
		if i := current.Index(was.Key); i >= 0 {
			all[i] = joinedField(was, current[i])
		} else {
			all = append(all, was)
		}
	}
	return all
}

func joinedField(made, current *schema.Field) *schema.Field {
	if reasonOf(made, current, made.Localized) != "" {
		return made
	}
	both := *current
	both.Fields = joined(made.Fields, current.Fields)
	if made.Of != nil && current.Of != nil {
		both.Of = joinedField(made.Of, current.Of)
	}
	both.Blocks = nil
	for _, is := range current.Blocks {
		if was := made.Block(is.Key); was != nil {
			is = &schema.Block{Key: is.Key, Label: is.Label, Fields: joined(was.Fields, is.Fields)}
		}
		both.Blocks = append(both.Blocks, is)
	}
	for _, was := range made.Blocks {
		if current.Block(was.Key) == nil {
			both.Blocks = append(both.Blocks, was)
		}
	}
	return &both
}

// reasonWithin tells whether a value that does not divide holds, in mine and not in base, what has no place in it under the current
// schema: a member or a block that was removed, or a member that was retyped. What base had as well, or mine alone cleared, is no edit
// to keep.
func (m *merger) reasonWithin(made, current *schema.Field, s sides) (Reason, error) {
	if made == current {
		return "", nil
	}
	former := formerValues{frame: m.made, count: map[formerValue]int{}}
	err := former.add(made, current, s.mineThen, "", 1)
	if err == nil {
		err = former.add(made, current, s.baseThen, "", -1)
	}
	reason := Reason("")
	for of, n := range former.count {
		if n > 0 && reason != FieldRemoved {
			reason = of.reason
		}
	}
	return reason, err
}

// formerValue is a value that has no place under the current schema. Its position in a list does not matter.
type formerValue struct {
	reason     Reason
	path, form string
}

// formerValues counts them.
type formerValues struct {
	frame Frame // made
	count map[formerValue]int
}

func (v formerValues) add(made, current *schema.Field, raw jsontext.Value, path string, by int) error {
	if raw == nil || made == nil {
		return nil
	}
	if reason := reasonOf(made, current, false); reason != "" {
		form, err := writer{frame: v.frame, leaf: v.frame.appendForm}.value(nil, made, raw, nil, 0)
		v.count[formerValue{reason, path, string(form)}] += by
		return err
	}
	was, divided, err := v.frame.divide(made, raw)
	switch {
	case err != nil:
		return err
	case divided && was.locale != nil:
		return v.members(was, level{locale: current}, raw, path, by)
	case divided:
		return v.members(was, level{fields: current.Fields}, raw, path, by)
	case raw.Kind() != '[' || made.Type != schema.TypeList && made.Type != schema.TypeBlocks:
		return nil
	}
	items, err := value.Items(raw)
	for _, item := range items {
		if err == nil && made.Type == schema.TypeList {
			err = v.add(made.Of, current.Of, item, path+".", by)
		} else if err == nil {
			err = v.block(made, current, item, path, by)
		}
	}
	return err
}

func (v formerValues) members(made, current level, raw jsontext.Value, path string, by int) error {
	members, err := made.members(raw)
	if err != nil {
		return err
	}
	for name, raw := range members {
		if err := v.add(made.field(name), current.field(name), raw, path+"."+name, by); err != nil {
			return err
		}
	}
	return nil
}

func (v formerValues) block(made, current *schema.Field, raw jsontext.Value, path string, by int) error {
	if raw.Kind() != '{' {
		return nil
	}
	key, fields, err := value.Block(raw)
	was, is := made.Block(key), current.Block(key)
	if err != nil || was == nil {
		return err
	}
	if is == nil {
		v.count[formerValue{FieldRemoved, path + "." + key, string(raw)}] += by
		return nil
	}
	return v.members(level{fields: was.Fields}, level{fields: is.Fields}, fields, path+"."+key, by)
}
