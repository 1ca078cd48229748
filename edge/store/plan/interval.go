package plan

import (
	"svc/edge/store/column"
	"svc/shared/query"
	"svc/shared/schema"
)

// interval is what the ranges of a field leave of its values.
type interval struct {
	field  *schema.Field
	of     *column.Values
	within column.Interval
}

// bound makes one interval of all ranges of a field.
func (x *execution) bound(conditions []query.Condition) error {
	for i := range conditions {
		c := &conditions[i]
		if !isRange(c.Op) {
			continue
		}
		in := x.window(c.Field)
		if in == nil {
			of, err := x.columnOf(c.Field)
			if err != nil {
				return err
			}
			x.ranges = append(x.ranges, interval{c.Field, of, column.Interval{To: column.Missing}})
			in = &x.ranges[len(x.ranges)-1]
		}
		rank, err := x.rankOf(in.of, c.Field, c.Keys[0])
		if err != nil {
			return err
		}
		switch c.Op {
		case query.OpGreater:
			in.within.From = max(in.within.From, rank+1)
		case query.OpGreaterOrEqual:
			in.within.From = max(in.within.From, rank)
		case query.OpLess:
			in.within.To = min(in.within.To, rank)
		default:
			in.within.To = min(in.within.To, rank+1)
		}
	}
	return nil
}

// isRange reports whether an operator matches all values to one side of another.
func isRange(o query.Op) bool {
	return o == query.OpGreater || o == query.OpGreaterOrEqual || o == query.OpLess || o == query.OpLessOrEqual
}

// window returns the interval of a field, nil where there is none.
func (x *execution) window(f *schema.Field) *interval {
	for i := range x.ranges {
		if x.ranges[i].field == f {
			return &x.ranges[i]
		}
	}
	return nil
}
