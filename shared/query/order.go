package query

import (
	"strings"

	"svc/shared/schema"
	"svc/shared/value"
)

// OrderBy is the parameter order as it was given; the zero value is the default order. Bind holds it against a schema.
type OrderBy struct {
	Field      string
	Descending bool
}

func (p *parser) order(text string) {
	field, descending := strings.CutPrefix(text, "-")
	switch {
	case field == "":
		p.refuse(paramOrder, "must name a field, after a minus for descending order")
		return
	case strings.Contains(field, ","): // no key of a field has one
		p.refuse(paramOrder, "a list is ordered by one field, not by %q; ties go by the id of the entry", Shorten(text))
		return
	}
	p.query.Order = OrderBy{Field: field, Descending: descending}
}

// Order is an order that was bound to a schema. The zero value is the default order: arranged entries first, then the
// newest.
type Order struct {
	// Field is what rows are ordered by; nil in the default order.
	Field      *schema.Field
	Descending bool

	reading reading
}

// IsDefault reports whether it is the default order.
func (o *Order) IsDefault() bool { return o.Field == nil }

// Key returns the key by which an entry is ordered (value.KeyOf), from its stored fields. It is missing where a reader sees no
// value of the field. The key is part of fields, or of buf beyond its length. The order is not the default one.
func (o *Order) Key(buf, fields []byte) (key []byte, missing bool, err error) {
	raw, err := o.reading.read(o.Field, fields)
	if err != nil {
		return nil, false, err
	}
	key, fits := value.KeyOf(buf, o.Field, raw)
	if !fits {
		return nil, true, nil
	}
	return key, false, nil
}

// Text tells orders apart for cursors: two orders with the same text have comparable keys.
func (o *Order) Text() string {
	if o.Field == nil {
		return ""
	}
	direction := "+"
	if o.Descending {
		direction = "-"
	}
	return direction + string(value.ClassOf(o.Field)) + o.Field.Key
}
