package read

import (
	"cmp"
	"context"
	"crypto/sha256"
	"strings"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/value"
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

// A cursor carries no more than maxCut bytes of a row's order value; of a longer one it carries the beginning, and a hash by
// which the whole is found again among what its entry ever published.
const (
	maxCut  = 256
	cutHash = 16
)

// seal makes the cursor that continues a list behind a row.
func (x *exchange) seal(binding *query.Binding, order *query.Order, after *Key) (string, error) {
	c := query.Cursor{Pin: x.walked(), Moving: x.pin.moving, Missing: after.Missing, Value: after.Value, Entry: after.Entry}
	if len(c.Value) > maxCut && !order.IsDefault() {
		c.Value, c.Cut = cut(c.Value), true
	}
	text, err := binding.Seal(x.project.CursorKey, c)
	return text, fault.Wrap(err, "making a cursor")
}

func cut[Bytes ~string | ~[]byte](value Bytes) string {
	sum := sha256.Sum256([]byte(value))
	return string(value[:maxCut]) + string(sum[:cutHash])
}

// whole makes the order value of a cursor whole again. The row had it in some revision, most likely the newest at the pin:
// revisions are looked through from there backwards, in all their locales.
func (x *exchange) whole(ctx context.Context, key *Key, order *query.Order) error {
	if order.IsDefault() || len(key.Value) != maxCut+cutHash {
		return query.ForeignCursor()
	}
	found, wanted := false, key.Value
	var bad error
	err := x.view.History(ctx, x.collection.Schema.Name, key.Entry, x.walked(), func(fields []byte) bool {
		bad = value.EachText(fields, order.Field.Key, func(text []byte) {
			if len(text) > maxCut && cut(text) == wanted {
				found, key.Value = true, string(text)
			}
		})
		return bad == nil && !found
	})
	switch {
	case err != nil:
		return fault.Wrap(err, "reading the revisions of an entry")
	case bad != nil:
		return fault.Wrap(bad, "reading the order value of an entry")
	case !found && !x.atCore():
		return errForward // the page before came from a node that is ahead of this one
	case !found: // the entry was erased
		return fault.Invalid("cursor", "names an entry that no longer exists; start again with the first page")
	}
	return nil
}
