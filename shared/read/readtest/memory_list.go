package readtest

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"svc/shared/content"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/value"
)

// List goes through all rows. What filters and orders mean is written here a second time, with scalars and without keys: the
// keys of a field's order are used for the places of rows alone.
func (v *memoryView) List(_ context.Context, q read.ListQuery) (read.Page, error) {
	all := v.rows(q.Collection, q.Pin)
	var rows []read.Row
	for _, row := range all {
		in, err := matches(&q, row.Fields)
		if err != nil {
			return read.Page{}, err
		}
		if !in {
			continue
		}
		if row.Key, err = v.key(&q, &row); err != nil {
			return read.Page{}, err
		}
		if q.After == nil || compareKeys(&q, row.Key, *q.After) > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b read.Row) int { return compareKeys(&q, a.Key, b.Key) })
	if n := fitting(rows, q); n < len(rows) {
		return read.Page{Rows: rows[:n], More: true}, nil
	}
	return read.Page{Rows: rows}, nil
}

// matches holds every condition against what a reader sees.
func matches(q *read.ListQuery, fields []byte) (bool, error) {
	for _, c := range q.Conditions.All() {
		seen, present, err := scalar(q, fields, c.Field.Key)
		if err != nil {
			return false, err
		}
		if !holds(&c, seen, present) {
			return false, nil
		}
	}
	return true, nil
}

// scalar is the value that a reader sees; a stored value of another type is none.
func scalar(q *read.ListQuery, fields []byte, key string) (s value.Scalar, present bool, err error) {
	raw, err := value.Read(q.Frame.Schema, q.Frame.ValueLocales(), q.Locale, fields, key)
	if err != nil || raw == nil {
		return s, false, err
	}
	s, unfit := value.ScalarOf(q.Frame.Schema.Field(key), raw)
	return s, unfit == nil, nil
}

func holds(c *query.Condition, s value.Scalar, present bool) bool {
	equal := func(v value.Scalar) bool { return present && value.Compare(s, v) == 0 }
	switch c.Op {
	case query.OpExists:
		return present == c.Exists
	case query.OpIn:
		return slices.ContainsFunc(c.Values, equal)
	case query.OpNotEqual:
		return !equal(c.Values[0])
	}
	if !present {
		return false
	}
	n := value.Compare(s, c.Values[0])
	return map[query.Op]bool{
		query.OpEqual: n == 0, query.OpGreater: n > 0, query.OpGreaterOrEqual: n >= 0, query.OpLess: n < 0, query.OpLessOrEqual: n <= 0,
	}[c.Op]
}

func (v *memoryView) key(q *read.ListQuery, row *read.Row) (read.Key, error) {
	k := read.Key{Entry: row.Entry}
	if q.Order.Field == nil {
		k.Value = v.ranks[q.Collection][row.Entry]
		k.Missing = k.Value == ""
		return k, nil
	}
	s, present, err := scalar(q, row.Fields, q.Order.Field.Key)
	if k.Missing = !present; present {
		k.Value = string(value.AppendKey(nil, s))
	}
	return k, err
}

// compareKeys puts what has no value last: by default arranged entries by rank and then the newest, else by value and
// then by id, whatever the direction.
func compareKeys(q *read.ListQuery, a, b read.Key) int {
	switch {
	case a.Missing != b.Missing:
		if b.Missing {
			return -1
		}
		return 1
	case a.Missing && q.Order.Field == nil:
		return cmp.Compare(b.Entry, a.Entry)
	case a.Missing:
		return cmp.Compare(a.Entry, b.Entry)
	case q.Order.Descending:
		return cmp.Or(bytes.Compare([]byte(b.Value), []byte(a.Value)), cmp.Compare(a.Entry, b.Entry))
	}
	return cmp.Or(bytes.Compare([]byte(a.Value), []byte(b.Value)), cmp.Compare(a.Entry, b.Entry))
}

// History implements read.View.
func (v *memoryView) History(_ context.Context, collection string, id content.EntryID, pin uint64, see func(fields []byte) bool) error {
	for _, r := range slices.Backward(v.releases) {
		if pin != 0 && r.Number > pin {
			continue
		}
		for _, it := range r.Items {
			if it.Collection == collection && it.Entry == id && it.Revision != "" && !see([]byte(it.Fields)) {
				return nil
			}
		}
	}
	return nil
}
