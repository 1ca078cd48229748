package store

import (
	"context"
	"slices"

	"svc/edge/store/layout"
	"svc/edge/store/plan"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// Backlinks reads the index of references, where it is built; else it looks at everything that was live. It implements read.View.
func (v *view) Backlinks(ctx context.Context, target content.EntryID, pin uint64, from []string, limit int) ([]read.Backlink, error) {
	var all []read.Backlink
	for _, key := range from {
		frame, err := v.Frame(ctx, key, pin)
		if err != nil {
			return nil, err
		}
		c := v.meta.places[key]
		if c == nil || !frame.MayReference() {
			continue
		}
		found := 0
		note := func(e layout.EntryID, d *layout.Document) {
			found++
			all = append(all, read.Backlink{Entry: e.Text(), Collection: key, Slug: string(d.Slug)})
		}
		m := plan.Moment{Reader: v.r, Head: v.meta.head.Number, Changes: v.meta.changes}
		q := read.ListQuery{Collection: key, Pin: pin, Frame: &frame, Limit: limit}
		indexed, err := v.s.lists.Backlinks(ctx, m, &c.listed, &q, target, func(e layout.EntryID, d *layout.Document) bool {
			note(e, d)
			return found < limit
		})
		if !indexed && err == nil {
			err = v.eachLive(ctx, c.number, at(pin), func(e layout.EntryID, d *layout.Document) error {
				refers, err := frame.References(d.Fields, target)
				if refers {
					note(e, d)
				}
				return err
			})
		}
		if err != nil {
			return nil, fault.Wrap(err, "look for what refers to an entry")
		}
		all = slices.Clip(read.NewestBacklinks(all, limit))
	}
	return all, nil
}

// eachLive calls see with every entry of a collection that was live at a release. The document is valid during the call.
func (v *view) eachLive(ctx context.Context, c uint32, release uint64, see func(layout.EntryID, *layout.Document) error) error {
	return v.r.EachEntry(ctx, c, func(e layout.EntryID, _ uint32) (bool, error) {
		d, live, err := v.r.Document(c, e, release)
		if err == nil && live {
			err = see(e, &d)
		}
		return err == nil, err
	})
}
