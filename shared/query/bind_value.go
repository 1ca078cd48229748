package query

import (
	"svc/shared/schema"
	"svc/shared/value"
)

// condition reads the value, or the values, of a filter on a field.
func (b *binder) condition(f *schema.Field, filter *Filter) (Condition, bool) {
	c := Condition{Field: f, Op: filter.Op}
	texts := []string{filter.Text}
	switch filter.Op {
	case OpExists:
		c.Exists = filter.Text == "true"
		if !c.Exists && filter.Text != "false" {
			b.refuse(filter.Name(), "must be true or false, not %q", shorten(filter.Text))
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
	values := make([]value.Scalar, 0, len(texts))
	for _, text := range texts {
		v, err := value.Coerce(f, text)
		if err != nil {
			b.refuse(filter.Name(), "%s", wrongValue(f, text))
			return c, false
		}
		values = append(values, v)
	}
	c.take(values)
	return c, true
}
