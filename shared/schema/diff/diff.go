// Package diff compares two sets of collections and says what deploying the second over the first would do
// (interface, "Schema deployment semantics"). It looks at schemas only; whether content fits the new ones is for
// the caller to check.
//
// The plan is deterministic: collections by name, then what concerns the collection itself, then its fields by
// path, each with its operations in the order of Kinds. A plan is empty exactly when every collection has the
// hash and the label it had.
package diff

import (
	"cmp"
	"fmt"
	"slices"

	"svc/shared/schema"
)

// removedText is what becomes of a collection that is removed: nothing of it is deleted.
const removedText = "the collection is removed; its entries are kept, out of reach at earlier releases too, and must fit whatever is pushed " +
	"under this name later: to be rid of them, delete them first"

// Diff compares the deployed collections with the proposed ones. Both are whole sets with distinct names: a deployed
// collection that is not proposed is removed.
func Diff(deployed, proposed []*schema.Collection) Plan {
	var d differ
	before, after := byName(deployed), byName(proposed)
	for name := range before {
		if after[name] == nil {
			d.collection = name
			d.add("", CollectionRemoved, Destructive, removedText)
		}
	}
	for name, c := range after {
		d.collection = name
		if old := before[name]; old != nil {
			d.compare(old, c)
		} else {
			d.add("", CollectionAdded, Safe, "the collection is added, with %s", schema.Count(len(c.Fields), "field"))
		}
	}
	return newPlan(d.operations)
}

func byName(set []*schema.Collection) map[string]*schema.Collection {
	named := make(map[string]*schema.Collection, len(set))
	for _, c := range set {
		named[c.Name] = c
	}
	return named
}

// differ collects the operations of one collection after the other.
type differ struct {
	collection string
	operations []Operation
}

func (d *differ) add(field string, kind Kind, class Class, format string, args ...any) {
	d.operations = append(d.operations, Operation{
		Collection: d.collection, Field: field, Kind: kind, Class: class, Message: fmt.Sprintf(format, args...),
	})
}

func (d *differ) compare(old, c *schema.Collection) {
	first := len(d.operations)
	if old.Kind != c.Kind {
		d.add("", KindChanged, Destructive, "the kind changes from %s to %s", old.Kind, c.Kind)
	}
	if old.Visibility != c.Visibility {
		if c.Visibility == schema.VisibilityPublic {
			d.add("", MadePublic, Safe, "the collection becomes public: readers without a key get what is published of it, at earlier releases too")
		} else {
			d.add("", MadePrivate, ConditionallyDestructive, "the collection becomes private: readers without a key lose it, at earlier releases too")
		}
	}
	d.text("", LabelChanged, "the label", old.Label, c.Label)
	d.text("", TitleFieldChanged, "the title field", old.TitleField, c.TitleField)
	d.text("", PathChanged, "the path", old.Path, c.Path)
	if old.Guidance != c.Guidance {
		d.add("", GuidanceChanged, Safe, "the guidance changes")
	}
	if !slices.EqualFunc(old.Policy, c.Policy, equalRule) {
		d.add("", PolicyChanged, Safe, "%s", policyChange(old.Policy, c.Policy))
	}
	d.slugSource(old, c)
	d.fields("", old.Fields, c.Fields)
	d.slugs(old, c, first)
}

// slugs tells that entries get or lose their slugs, with the operation since first that makes them.
func (d *differ) slugs(old, c *schema.Collection, first int) {
	if old.HasSlug() == c.HasSlug() {
		return
	}
	effect := "; entries have no slugs any more, and are read by id alone"
	if c.HasSlug() {
		effect = "; entries without a slug get one when they are edited next, and are read by id until then"
	}
	f := cmp.Or(old.SlugField(), c.SlugField())
	for i := range d.operations[first:] {
		o := &d.operations[first+i]
		onField := f != nil && o.Field == f.Key && slices.Contains([]Kind{FieldAdded, FieldRemoved, TypeChanged}, o.Kind)
		if onField || o.Kind == KindChanged || o.Kind == PathChanged {
			o.Message += effect
			return
		}
	}
}

// slugSource compares where slugs come from. A source that follows the title field is no operation of its own.
func (d *differ) slugSource(old, c *schema.Collection) {
	before, f := old.SlugField(), c.SlugField()
	if before != nil && f != nil && before.Key == f.Key && explicitSource(old) != explicitSource(c) && old.SlugSource() != c.SlugSource() {
		d.text(f.Key, SlugSourceChanged, "the source of new slugs", old.SlugSource(), c.SlugSource())
	}
}

// explicitSource is the slug field's own "from" where that says something the rest of the schema does not.
func explicitSource(c *schema.Collection) string {
	f := c.SlugField()
	if f.From == c.TitleField || c.TitleField == "" && f.From == f.Key {
		return ""
	}
	return f.From
}

// text adds a safe operation where a text option differs.
func (d *differ) text(field string, kind Kind, what, from, to string) {
	switch {
	case from == to:
	case from == "":
		d.add(field, kind, Safe, "%s becomes %s", what, schema.Quote(to))
	case to == "":
		d.add(field, kind, Safe, "%s %s is dropped", what, schema.Quote(from))
	default:
		d.add(field, kind, Safe, "%s changes from %s to %s", what, schema.Quote(from), schema.Quote(to))
	}
}

func equalRule(a, b schema.Rule) bool {
	return a.Kind == b.Kind && a.Field == b.Field && (a.Fields == nil) == (b.Fields == nil) && slices.Equal(a.Fields, b.Fields) && equal(a.Min, b.Min) &&
		equal(a.Max, b.Max) && a.Words == b.Words && slices.Equal(a.Terms, b.Terms) && a.Reason == b.Reason
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
