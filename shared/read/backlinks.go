package read

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// maxBacklinks is how many backlinks an answer has at most (interface, "Limits").
const maxBacklinks = 200

// Backlink is a published entry that refers to another.
type Backlink struct {
	Entry      content.EntryID
	Collection string
	Slug       string // with which it was published, as in Row
}

// References reports whether fields that are read under the frame refer to an entry: in reference fields, or in richText, at any
// depth and in any locale. fields is in compact form.
func (f *Frame) References(fields []byte, target content.EntryID) (bool, error) {
	if f.Schema == nil || !bytes.Contains(fields, []byte(target)) {
		return false, nil
	}
	mentions, err := value.MentionsIn(f.Schema, f.ValueLocales(), fields)
	return slices.ContainsFunc(mentions.References, func(r value.Reference) bool { return r.Entry == target }), err
}

// MayReference reports whether the frame declares any field that can refer to an entry.
func (f *Frame) MayReference() bool { return f.Schema != nil && value.MayMention(f.Schema) }

// NewestBacklinks puts backlinks in their order, newest first, and keeps no more than limit.
func NewestBacklinks(all []Backlink, limit int) []Backlink {
	slices.SortFunc(all, func(a, b Backlink) int { return cmp.Compare(b.Entry, a.Entry) })
	return all[:min(limit, len(all))]
}

// backlinks answers which entries in public collections refer to the entry that the path names. That they are public is decided
// live; which collections there are, and what their entries refer to, is that of the pin.
func (x *exchange) backlinks(ctx context.Context) error {
	row, err := x.find(ctx)
	if err != nil {
		return err
	}
	for _, c := range x.view.Collections() {
		if c.Schema.Visibility == schema.VisibilityPublic {
			x.dependsOn = append(x.dependsOn, c.Schema.Name)
		}
	}
	found, err := x.view.Backlinks(ctx, row.Entry, x.pin.release, x.dependsOn, maxBacklinks)
	if err != nil {
		return fault.Wrap(err, "reading backlinks")
	}
	return x.shapeBacklinks(ctx, found)
}

// shapeBacklinks writes {"data": {"referencedBy": [{id, collection, slug}…]}}.
func (x *exchange) shapeBacklinks(ctx context.Context, found []Backlink) error {
	slugs := map[string]bool{} // whether entries of a collection have them at the pin
	b := append(x.resp.plain[:0], `{"data":{"referencedBy":[`...)
	for i, link := range found {
		has, known := slugs[link.Collection]
		if !known {
			frame, err := x.view.Frame(ctx, link.Collection, x.pin.release)
			if err != nil {
				return fault.Wrap(err, "reading the schema of a collection")
			}
			has = frame.Schema != nil && frame.Schema.HasSlug()
			slugs[link.Collection] = has
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"id":"`...), link.Entry...)
		b = append(append(b, `","collection":"`...), link.Collection...)
		b = append(appendSlug(append(b, '"'), link.Slug, has), '}')
	}
	x.resp.plain = append(b, `]}}`...)
	return nil
}
