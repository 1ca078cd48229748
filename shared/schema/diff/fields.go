package diff

import (
	"bytes"

	"svc/shared/schema"
)

// fields compares two ordered sets of fields; prefix is the path of what holds them, with its dot.
func (d *differ) fields(prefix string, old, fields schema.Fields) {
	for _, f := range old {
		if fields.Get(f.Key) == nil {
			d.add(prefix+f.Key, FieldRemoved, Destructive, "the field is removed; its values are not read any more, and the next edit of an entry drops them")
		}
	}
	for _, f := range fields {
		if before := old.Get(f.Key); before != nil {
			d.field(prefix+f.Key, before, f)
		} else {
			d.added(prefix+f.Key, f)
		}
	}
	if !sameOrder(keysOf(old), keysOf(fields)) {
		d.add(trimDot(prefix), FieldsReordered, Safe, "the fields change their order, and answers follow it")
	}
}

func (d *differ) added(path string, f *schema.Field) {
	switch {
	case !f.Required:
		d.add(path, FieldAdded, Safe, "an optional field of type %s is added", f.Type)
	case f.Default != nil:
		d.add(path, FieldAdded, Safe, "a required field of type %s with a default is added; entries get the default when they are edited next", f.Type)
	default:
		d.add(path, FieldAdded, ConditionallyDestructive, "a required field of type %s without a default is added", f.Type)
	}
}

// field compares a field with itself. A changed type makes every other difference moot.
func (d *differ) field(path string, old, f *schema.Field) {
	if old.Type != f.Type {
		d.add(path, TypeChanged, Destructive, "the type changes from %s to %s", old.Type, f.Type)
		return
	}
	d.required(path, old, f)
	if old.Localized != f.Localized {
		if f.Localized {
			d.add(path, LocalizedAdded, ConditionallyDestructive, "the field becomes localized: its values become those of the default locale, and where the project has locales, readers who name none get values by locale")
		} else {
			d.add(path, LocalizedRemoved, Destructive, "the field stops being localized; where it holds values by locale they must be cleared first")
		}
	}
	d.text(path, LabelChanged, "the label", old.Label, f.Label)
	d.text(path, DescriptionChanged, "the description", old.Description, f.Description)
	if !equal(old.UI, f.UI) {
		d.add(path, UIChanged, Safe, "the hints for editors change")
	}
	if old.Multiline != f.Multiline {
		d.add(path, EditorHintChanged, Safe, "multiline becomes %t", f.Multiline)
	}
	d.defaults(path, old, f)
	d.typed(path, old, f)
}

func (d *differ) required(path string, old, f *schema.Field) {
	switch {
	case old.Required == f.Required:
	case !f.Required:
		d.add(path, MadeOptional, Safe, "the field becomes optional")
	case f.Type == schema.TypeSlug:
		d.add(path, MadeRequired, Safe, "the slug becomes required")
	default:
		d.add(path, MadeRequired, ConditionallyDestructive, "the field becomes required")
	}
}

// defaults compares defaults. A change of them is always safe. Where a required field loses its default, the check of
// content finds the entries that never stored a value.
func (d *differ) defaults(path string, old, f *schema.Field) {
	switch {
	case bytes.Equal(old.Default, f.Default):
	case f.Default == nil && f.Required:
		d.add(path, DefaultChanged, Safe, "the default is dropped; the field is required, so entries must have a value of their own")
	case f.Default == nil:
		d.add(path, DefaultChanged, Safe, "the default is dropped")
	default:
		d.add(path, DefaultChanged, Safe, "the default becomes %s", schema.Show(string(f.Default)))
	}
}

// typed compares what only some types have.
func (d *differ) typed(path string, old, f *schema.Field) {
	if old.To != f.To {
		d.add(path, Retargeted, Destructive, "the reference leads to %s instead of %s", schema.Quote(f.To), schema.Quote(old.To))
	}
	if old.Multiple != f.Multiple {
		if f.Multiple {
			d.add(path, MultipleAllowed, Safe, "several values become possible: readers get a list from then on, of one value too")
		} else {
			d.add(path, MultipleDisallowed, ConditionallyDestructive, "only one value stays possible: readers get it alone from then on, and an entry that holds a list does not fit")
		}
	}
	d.constraints(path, old, f)
	switch f.Type {
	case schema.TypeList:
		if old.Of.Type != f.Of.Type {
			d.add(path+"[]", ItemTypeChanged, Destructive, "the items change from %s to %s", old.Of.Type, f.Of.Type)
		} else {
			d.field(path+"[]", old.Of, f.Of)
		}
	case schema.TypeObject:
		d.fields(path+".", old.Fields, f.Fields)
	case schema.TypeBlocks:
		d.blocks(path, old, f)
	}
}

func (d *differ) blocks(path string, old, f *schema.Field) {
	for _, b := range old.Blocks {
		if f.Block(b.Key) == nil {
			d.add(path+"."+b.Key, BlockRemoved, Destructive, "the block is removed; blocks of this kind are not read any more, and the next edit of an entry drops them")
		}
	}
	for _, b := range f.Blocks {
		before := old.Block(b.Key)
		if before == nil {
			d.add(path+"."+b.Key, BlockAdded, Safe, "the block is added")
			continue
		}
		d.text(path+"."+b.Key, LabelChanged, "the label", before.Label, b.Label)
		d.fields(path+"."+b.Key+".", before.Fields, b.Fields)
	}
	if !sameOrder(blockKeys(old), blockKeys(f)) {
		d.add(path, BlocksReordered, Safe, "the blocks change their order")
	}
}
