package query

import (
	"bytes"
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
		return fmt.Sprintf("the collection has no field %q", Shorten(name))
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
	b.findings.add(Shorten(name), format, args...)
}

// condition reads the value, or the values, of a filter on a field.
func (b *binder) condition(f *schema.Field, filter *Filter) (Condition, bool) {
	c := Condition{Field: f, Op: filter.Op}
	texts := []string{filter.Text}
	switch filter.Op {
	case OpExists:
		c.Exists = filter.Text == "true"
		if !c.Exists && filter.Text != "false" {
			b.refuse(filter.Name(), "must be true or false, not %q", Shorten(filter.Text))
			return c, false
		}
		return c, true
	case OpIn:
		var err error
		if texts, err = splitValues(filter.Text); err != nil {
			b.refuse(filter.Name(), "%s", err)
			return c, false
		}
	}
	for _, text := range texts {
		key, fits := value.Coerce(f, text)
		if !fits {
			b.refuse(filter.Name(), "%s", wrongValue(f, text))
			return c, false
		}
		c.Keys = append(c.Keys, key)
	}
	slices.SortFunc(c.Keys, bytes.Compare)
	c.Keys = slices.CompactFunc(c.Keys, bytes.Equal)
	return c, true
}

// wrongValue says what a value of the field would be, for a text that is none.
func wrongValue(f *schema.Field, text string) string {
	if f.Type == schema.TypeNumber && schema.IsNumber(text) {
		if err := schema.CheckNumber(text); err != nil {
			return err.Error()
		}
	}
	return fmt.Sprintf("the field %q takes %s, not %q", f.Key, rightValue[f.Type], Shorten(text))
}

var rightValue = map[schema.FieldType]string{
	schema.TypeText:      "text",
	schema.TypeSlug:      "a slug such as hello-world",
	schema.TypeNumber:    "a number such as 12.5",
	schema.TypeBoolean:   "true or false",
	schema.TypeDate:      "a date of the calendar such as 2026-02-28",
	schema.TypeDatetime:  "a datetime with an offset such as 2026-02-28T09:30:00Z, in the years 0000 to 9999",
	schema.TypeReference: "the id of an entry, which begins with ent_",
	schema.TypeAsset:     "the id of an asset, which begins with ast_",
}
