package query

import (
	"strings"
)

// MaxFilters bounds the filters of one list.
const MaxFilters = 50

// Filter is a filter as it was given; Bind holds it against a schema.
type Filter struct {
	Field string
	Op    Op
	// Text is the value, or the comma-separated values of OpIn. It is not empty.
	Text string
}

// Name is the parameter's name, such as filter[rating][gte].
func (f *Filter) Name() string { return filterName(f.Field, f.Op) }

func filterName(field string, op Op) string {
	if op == OpEqual {
		return "filter[" + field + "]"
	}
	return "filter[" + field + "][" + op.String() + "]"
}

// isFilter reports whether a name is meant as that of a filter.
func isFilter(name string) bool { return name == "filter" || strings.HasPrefix(name, "filter[") }

// splitFilter reads filter[field] and filter[field][op]; false where the name has neither form.
func splitFilter(name string) (field, op string, ok bool) {
	rest, found := strings.CutPrefix(name, "filter[")
	if !found {
		return "", "", false
	}
	field, rest, found = strings.Cut(rest, "]")
	if !found || field == "" || strings.IndexByte(field, '[') >= 0 {
		return "", "", false
	}
	if rest == "" {
		return field, "", true
	}
	if len(rest) < 3 || rest[0] != '[' || strings.IndexByte(rest, ']') != len(rest)-1 || strings.IndexByte(rest[1:], '[') >= 0 {
		return "", "", false
	}
	return field, rest[1 : len(rest)-1], true
}

// filter takes a filter; what its field and value mean is for Bind.
func (p *parser) filter(name, value string) {
	field, operator, ok := splitFilter(name)
	if !ok {
		p.refuse(Shorten(name), "must have the form filter[field] or filter[field][operator]; %s", opHint)
		return
	}
	f := Filter{Field: field, Text: value}
	if operator != "" {
		if f.Op, ok = opNamed(operator); !ok {
			p.refuse(Shorten(name), "there is no operator %q; %s", Shorten(operator), opHint)
			return
		}
	}
	if value == "" {
		p.refuse(Shorten(name), "must have a value; filter[field][exists]=false finds entries without one")
		return
	}
	if len(p.query.Filters) == MaxFilters {
		p.excess = true
		return
	}
	p.query.Filters = append(p.query.Filters, f)
}

// Op says how a filter compares (interface, "List query parameters").
type Op uint8

// The operators. Equality has no name: it is filter[field]=v.
const (
	OpEqual Op = iota
	OpNotEqual
	OpGreater
	OpGreaterOrEqual
	OpLess
	OpLessOrEqual
	OpIn
	OpExists
)

var opNames = [...]string{"", "ne", "gt", "gte", "lt", "lte", "in", "exists"}

// Ops lists every operator.
func Ops() []Op {
	ops := make([]Op, len(opNames))
	for i := range ops {
		ops[i] = Op(i)
	}
	return ops
}

// String is the name of the operator as it stands in filter[field][op]; empty for equality.
func (o Op) String() string { return opNames[o] }

// opNamed returns the operator of a name that a caller gave.
func opNamed(name string) (Op, bool) {
	for i, n := range opNames {
		if n == name && n != "" {
			return Op(i), true
		}
	}
	return 0, false
}

// opHint says which operators there are.
var opHint = "the operators are " + strings.Join(opNames[1:], ", ") + ", and filter[field]=value without one is equality"
