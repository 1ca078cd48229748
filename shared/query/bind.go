package query

import (
	"fmt"
	"slices"
	"strings"

	"svc/shared/schema"
	"svc/shared/value"
)

// Bind holds the filters and the order of a list against the schema that it is read under, and against the locales in
// force there; locale is the requested one, and empty reads localized fields in the default locale. A field that does not
// exist or cannot be compared and a value that its field cannot have are VALIDATION_FAILED, all of them in one fault, each
// under the name of its parameter.
func Bind(c *schema.Collection, locales value.Locales, locale string, filters []Filter, order OrderBy) (Conditions, Order, error) {
	b := binder{reading: reading{schema: c, locales: locales, locale: locale}}
	conditions := b.conditions(filters)
	o := b.order(order)
	return conditions, o, b.findings.err()
}

type binder struct {
	reading
	findings findings
}

func (b *binder) conditions(filters []Filter) Conditions {
	if len(filters) == 0 {
		return Conditions{}
	}
	c := Conditions{all: make([]Condition, 0, len(filters)), reading: b.reading}
	for i := range filters {
		if f := b.filterable(&filters[i]); f != nil {
			if condition, ok := b.condition(f, &filters[i]); ok {
				c.all = append(c.all, condition)
			}
		}
	}
	slices.SortStableFunc(c.all, compareConditions)
	for i := range c.all {
		if f := c.all[i].Field; len(c.fields) == 0 || c.fields[len(c.fields)-1] != f {
			c.fields = append(c.fields, f)
		}
	}
	return c
}

func (b *binder) filterable(filter *Filter) *schema.Field {
	f := b.schema.Field(filter.Field)
	if f == nil || !f.Filterable() {
		b.refuse(filter.Name(), "%s; lists of %q are filtered by %s", b.unfit(filter.Field, f), b.schema.Name, FieldNames(b.schema, (*schema.Field).Filterable))
		return nil
	}
	return f
}

func (b *binder) order(by OrderBy) Order {
	if by.Field == "" {
		return Order{}
	}
	f := b.schema.Field(by.Field)
	if f == nil || !f.Type.Sortable() {
		b.refuse(paramOrder, "%s; lists of %q are ordered by one of %s, after a minus for descending order",
			b.unfit(by.Field, f), b.schema.Name, FieldNames(b.schema, func(f *schema.Field) bool { return f.Type.Sortable() }))
		return Order{}
	}
	return Order{Field: f, Descending: by.Descending, reading: b.reading}
}

// unfit says what is wrong with a field that a list was to be filtered or ordered by.
func (b *binder) unfit(name string, f *schema.Field) string {
	switch {
	case f == nil:
		return fmt.Sprintf("the collection has no field %q", shorten(name))
	case f.Multiple:
		return fmt.Sprintf("the field %q holds several values", f.Key)
	}
	return fmt.Sprintf("the field %q is of type %s", f.Key, f.Type)
}

// FieldNames lists the fields of a collection that are right for something, for a message: not all of very many.
func FieldNames(c *schema.Collection, right func(*schema.Field) bool) string {
	const most = 20
	var names []string
	for _, f := range c.Fields {
		if !right(f) {
			continue
		}
		if len(names) == most {
			names = append(names, "others")
			break
		}
		names = append(names, f.Key)
	}
	if names == nil {
		return "no field"
	}
	return strings.Join(names, ", ")
}

func (b *binder) refuse(name, format string, args ...any) {
	b.findings.add(shorten(name), format, args...)
}
