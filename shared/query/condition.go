package query

import (
	"bytes"
	"cmp"
	"slices"

	"svc/shared/schema"
	"svc/shared/value"
)

// Condition is a filter that was bound to a schema.
type Condition struct {
	Field *schema.Field
	Op    Op
	// Values are what is compared with: several of OpIn, ascending and without repetitions, none of OpExists, else one.
	Values []value.Scalar
	// Keys are the keys of Values (value.AppendKey).
	Keys [][]byte
	// Exists is what OpExists asks for.
	Exists bool
}

// Holds decides for an entry by the key of its value, or that it has none. Only ne and exists=false hold where there is no
// value.
func (c *Condition) Holds(key []byte, missing bool) bool {
	if c.Op == OpExists {
		return c.Exists != missing
	}
	if missing {
		return c.Op == OpNotEqual
	}
	switch c.Op {
	case OpEqual:
		return bytes.Equal(key, c.Keys[0])
	case OpNotEqual:
		return !bytes.Equal(key, c.Keys[0])
	case OpIn:
		return c.holds(key)
	}
	n := bytes.Compare(key, c.Keys[0])
	switch c.Op {
	case OpGreater:
		return n > 0
	case OpGreaterOrEqual:
		return n >= 0
	case OpLess:
		return n < 0
	}
	return n <= 0
}

// holds reports whether a key is one of Keys, which ascend. It is written out so that the key stays on the caller's stack.
func (c *Condition) holds(key []byte) bool {
	low, high := 0, len(c.Keys)
	for low < high {
		middle := (low + high) / 2
		switch n := bytes.Compare(key, c.Keys[middle]); {
		case n == 0:
			return true
		case n < 0:
			high = middle
		default:
			low = middle + 1
		}
	}
	return false
}

// take sets the values, in order.
func (c *Condition) take(values []value.Scalar) {
	slices.SortFunc(values, value.Compare)
	c.Values = slices.CompactFunc(values, func(a, b value.Scalar) bool { return value.Compare(a, b) == 0 })
	c.Keys = make([][]byte, len(c.Values))
	for i, v := range c.Values {
		c.Keys[i] = value.AppendKey(nil, v)
	}
}

// compareConditions is the order in which conditions are kept.
func compareConditions(a, b Condition) int {
	return cmp.Or(cmp.Compare(a.Field.Key, b.Field.Key), cmp.Compare(a.Op, b.Op))
}
