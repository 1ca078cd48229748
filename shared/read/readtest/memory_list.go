package readtest

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/schema"
	"svc/shared/value"
)

// List goes through all rows. What filters and orders mean is written here a second time.
func (v *memoryView) List(_ context.Context, q read.ListQuery) (read.Page, error) {
	all := v.rows(q.Collection, q.Pin)
	var rows []read.Row
	for _, row := range all {
		if !matches(&q, row.Fields) {
			continue
		}
		if row.Key = v.key(&q, &row); q.After == nil || compareKeys(&q, row.Key, *q.After) > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b read.Row) int { return compareKeys(&q, a.Key, b.Key) })
	if n := fitting(rows, q); n < len(rows) {
		return read.Page{Rows: rows[:n], More: true}, nil
	}
	return read.Page{Rows: rows}, nil
}

// matches holds every condition and the search against what a reader sees.
func matches(q *read.ListQuery, fields []byte) bool {
	for _, c := range q.Conditions.All() {
		seen, present := keyOf(q, fields, c.Field)
		if !holds(&c, seen, present) {
			return false
		}
	}
	return searched(q, fields)
}

// keyOf is the key of the value that a reader sees; a stored value of another type is none.
func keyOf(q *read.ListQuery, fields []byte, f *schema.Field) (key []byte, present bool) {
	raw := seen(q.Frame, f, members(fields)[f.Key], q.Locale)
	if raw == nil {
		return nil, false
	}
	return value.KeyOf(nil, f, jsontext.Value(raw))
}

func holds(c *query.Condition, key []byte, present bool) bool {
	equal := func(k []byte) bool { return present && bytes.Equal(key, k) }
	switch c.Op {
	case query.OpExists:
		return present == c.Exists
	case query.OpIn:
		return slices.ContainsFunc(c.Keys, equal)
	case query.OpNotEqual:
		return !equal(c.Keys[0])
	}
	if !present {
		return false
	}
	n := bytes.Compare(key, c.Keys[0])
	return map[query.Op]bool{
		query.OpEqual: n == 0, query.OpGreater: n > 0, query.OpGreaterOrEqual: n >= 0, query.OpLess: n < 0, query.OpLessOrEqual: n <= 0,
	}[c.Op]
}

func (v *memoryView) key(q *read.ListQuery, row *read.Row) read.Key {
	k := read.Key{Entry: row.Entry}
	if q.Order.Field == nil {
		k.Value = v.ranks[q.Collection][row.Entry]
		k.Missing = k.Value == ""
		return k
	}
	key, present := keyOf(q, row.Fields, q.Order.Field)
	k.Value, k.Missing = string(key), !present
	return k
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
