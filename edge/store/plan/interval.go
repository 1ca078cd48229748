package plan

import (
	"bytes"

	"svc/edge/store/layout"
	"svc/shared/query"
	"svc/shared/schema"
)

// interval is what the ranges of a field leave of its values, as AppendValue writes them.
type interval struct {
	field      *schema.Field
	conditions []*query.Condition
	from, to   []byte // nil: no bound; to is exclusive
	// settles holds where a bound is a long value: of those with the same beginning only the whole value decides.
	settles bool
}

// take narrows the interval by one condition.
func (in *interval) take(c *query.Condition) {
	in.conditions = append(in.conditions, c)
	at := layout.AppendValue(nil, c.Keys[0])
	long := layout.IsLong(at)
	if long {
		in.settles = true
		at = at[:len(at)-layout.ValueHash] // all with the same beginning
	}
	switch c.Op {
	case query.OpGreater:
		if !long {
			at = prefixEnd(at)
		}
		in.from = later(in.from, at)
	case query.OpGreaterOrEqual:
		in.from = later(in.from, at)
	case query.OpLess:
		if long {
			at = prefixEnd(at)
		}
		in.to = sooner(in.to, at)
	default:
		in.to = sooner(in.to, prefixEnd(at))
	}
}

// prefixEnd turns a value into the bound behind everything that begins with it: its last byte is never the greatest.
func prefixEnd(v []byte) []byte {
	v[len(v)-1]++
	return v
}

func later(bound, at []byte) []byte {
	if bound == nil || bytes.Compare(bound, at) < 0 {
		return at
	}
	return bound
}

func sooner(bound, at []byte) []byte {
	if bound == nil || bytes.Compare(bound, at) > 0 {
		return at
	}
	return bound
}

// holds decides for a whole key.
func (in *interval) holds(key []byte) bool {
	for _, c := range in.conditions {
		if !c.Holds(key, false) {
			return false
		}
	}
	return true
}

// bounds returns the bounds of keys that begin with a prefix; in may be nil.
func (in *interval) bounds(prefix []byte) (lower, upper []byte) {
	lower = bytes.Clone(prefix)
	if in != nil && in.from != nil {
		lower = append(lower, in.from...)
	}
	upper = bytes.Clone(prefix)
	if in != nil && in.to != nil {
		return lower, append(upper, in.to...)
	}
	return lower, prefixEnd(upper) // a prefix ends with the zero byte of a locale
}

// isRange reports whether an operator matches all values to one side of another.
func isRange(o query.Op) bool {
	return o == query.OpGreater || o == query.OpGreaterOrEqual || o == query.OpLess || o == query.OpLessOrEqual
}
