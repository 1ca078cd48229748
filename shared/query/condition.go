package query

import (
	"bytes"
	"cmp"
	"sort"

	"svc/shared/schema"
)

// Condition is a filter that was bound to a schema.
type Condition struct {
	Field *schema.Field
	Op    Op
	// Keys are those of what is compared with (value.KeyOf): several of OpIn, ascending and without repetitions, none of
	// OpExists, else one.
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
		i := sort.Search(len(c.Keys), func(i int) bool { return bytes.Compare(c.Keys[i], key) >= 0 })
		return i < len(c.Keys) && bytes.Equal(c.Keys[i], key)
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

// compareConditions is the order in which conditions are kept.
func compareConditions(a, b Condition) int {
	return cmp.Or(cmp.Compare(a.Field.Key, b.Field.Key), cmp.Compare(a.Op, b.Op))
}
