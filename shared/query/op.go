package query

import "strings"

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
