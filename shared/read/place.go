package read

import (
	"context"
	"crypto/sha256"

	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/value"
)

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
