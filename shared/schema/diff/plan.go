package diff

import (
	"cmp"
	"slices"
)

// Class says what an operation may do to content.
type Class string

// The classes, mildest first.
const (
	// Safe operations leave existing content valid. Some of them need content to be checked all the same: see
	// Operation.
	Safe Class = "safe"
	// ConditionallyDestructive operations succeed only where existing content fits.
	ConditionallyDestructive Class = "conditionally_destructive"
	// Destructive operations lose content, and need to be allowed expressly.
	Destructive Class = "destructive"
)

// Classes lists every class, mildest first.
func Classes() []Class { return []Class{Safe, ConditionallyDestructive, Destructive} }

// Marker is the sign that stands for the class on a terminal.
func (c Class) Marker() string {
	switch c {
	case Destructive:
		return "!"
	case ConditionallyDestructive:
		return "~"
	}
	return "+"
}

func (c Class) severity() int { return slices.Index(Classes(), c) }

// Operation is one difference.
type Operation struct {
	// Collection is the name of the collection.
	Collection string
	// Field is the path of the field, such as "title", "seo.description", "tags[]" for the items of a list and
	// "sections.quote.text" for a field of a block; empty where the collection itself is concerned.
	Field string
	Kind  Kind
	Class Class
	// Message says in words what changes.
	Message string
}

// Plan is what deploying would do.
type Plan struct {
	Operations []Operation
	// Class is the highest class of the operations; Safe where there is none.
	Class Class
}

// InSync reports whether nothing differs.
func (p Plan) InSync() bool { return len(p.Operations) == 0 }

func newPlan(operations []Operation) Plan {
	slices.SortStableFunc(operations, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Collection, b.Collection), cmp.Compare(a.Field, b.Field),
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)))
	})
	p := Plan{Operations: operations, Class: Safe}
	for _, o := range operations {
		if o.Class.severity() > p.Class.severity() {
			p.Class = o.Class
		}
	}
	return p
}
