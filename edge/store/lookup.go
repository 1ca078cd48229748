package store

import (
	"context"
	"strings"

	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// at is the release to read for a pin: the newest there is for pin 0.
func at(pin uint64) uint64 {
	if pin == 0 {
		return layout.MaxRelease
	}
	return pin
}

func (v *view) ByID(ctx context.Context, key string, id content.EntryID, pin uint64) (read.Row, bool, error) {
	c := v.meta.places[key]
	e, ok := content.Bytes(id)
	if c == nil || !ok {
		return read.Row{}, false, nil
	}
	row, ok, err := v.r.Row(c.number, e, at(pin))
	return row, ok, fault.Wrap(err, "read an entry")
}

// BySlug looks who took the slug last by then; the document says whether that entry still had it.
func (v *view) BySlug(ctx context.Context, key, slug string, pin uint64) (read.Row, bool, error) {
	c := v.meta.places[key]
	if c == nil || slug == "" || strings.IndexByte(slug, 0) >= 0 {
		return read.Row{}, false, nil
	}
	row, ok, err := v.r.BySlug(c.number, slug, at(pin))
	return row, ok, fault.Wrap(err, "read an entry by its slug")
}

// FormerSlug returns the present slug of who had a slug by then.
func (v *view) FormerSlug(ctx context.Context, key, slug string, pin uint64) (string, bool, error) {
	c := v.meta.places[key]
	if c == nil || slug == "" || strings.IndexByte(slug, 0) >= 0 {
		return "", false, nil
	}
	canonical, ok, err := v.r.FormerSlug(c.number, slug, at(pin))
	return canonical, ok, fault.Wrap(err, "look for a former slug")
}

// History calls see with the documents of an entry, the newest first.
func (v *view) History(ctx context.Context, key string, id content.EntryID, pin uint64, see func(fields []byte) bool) error {
	c := v.meta.places[key]
	e, ok := content.Bytes(id)
	if c == nil || !ok {
		return nil
	}
	return fault.Wrap(v.r.History(ctx, c.number, e, at(pin), see), "read the revisions of an entry")
}
