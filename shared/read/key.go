package read

import (
	"cmp"
	"strings"

	"svc/shared/content"
	"svc/shared/query"
)

// Key is a row's place in an ordered list: the rows that lack the ordering value come last. In the default
// order the value is the editorial rank; entries without one follow, newest (greatest id) first. In the order of a
// field it is the field's key (query.Order.Key); equal ones, and those that are missing, go by id, ascending.
type Key struct {
	Missing bool
	Value   string
	Entry   content.EntryID
}

// CompareKeys says where a row stands from another in a list of this order: -1 before it, 1 after it.
func CompareKeys(o *query.Order, a, b *Key) int {
	return comparePlaces(o, a.Missing, b.Missing, strings.Compare(a.Value, b.Value), a.Entry, b.Entry)
}

// comparePlaces is CompareKeys where values says how the values compare, which means something if neither is missing.
func comparePlaces(o *query.Order, aMissing, bMissing bool, values int, a, b content.EntryID) int {
	switch {
	case aMissing != bMissing:
		if bMissing {
			return -1
		}
		return 1
	case aMissing && o.IsDefault():
		return cmp.Compare(b, a)
	case aMissing || values == 0:
		return cmp.Compare(a, b)
	case o.Descending:
		return -values
	}
	return values
}
