package readtest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/schema"
)

// memoryView answers every question from the whole history.
type memoryView struct {
	*history
	closed bool
}

func (v *memoryView) Project() *read.Project { return &v.live().Project }

func (v *memoryView) Head() content.Release {
	if len(v.releases) == 0 {
		return content.Release{}
	}
	return v.releases[len(v.releases)-1].Release
}

func (v *memoryView) Version(string, uint64) uint64 { return 0 }

func (v *memoryView) Release(_ context.Context, n uint64) (content.Release, bool, error) {
	for _, r := range v.releases {
		if r.Number == n {
			return r.Release, true, nil
		}
	}
	return content.Release{}, false, nil
}

func (v *memoryView) ReleaseAt(_ context.Context, t time.Time) (content.Release, bool, error) {
	var found content.Release
	for _, r := range v.releases {
		if !r.PublishedAt.After(t) {
			found = r.Release
		}
	}
	return found, t.Before(v.settled), nil
}

// inForce returns the collections by name as the pushes for releases up to n left them; 0 is all pushes.
func (v *memoryView) inForce(n uint64) map[string]*read.Collection {
	out := map[string]*read.Collection{}
	for _, s := range v.schemas {
		if n != 0 && s.From > n {
			continue
		}
		for name, c := range s.parsed {
			out[name] = c
		}
		for _, name := range s.Removed {
			delete(out, name)
		}
	}
	return out
}

func (v *memoryView) Collections() []*read.Collection {
	var out []*read.Collection
	for _, c := range v.inForce(0) {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *read.Collection) int { return cmp.Compare(a.Schema.Name, b.Schema.Name) })
	return out
}

func (v *memoryView) Collection(key string) (*read.Collection, bool) {
	c, found := v.inForce(0)[key]
	return c, found
}

func (v *memoryView) Frame(_ context.Context, collection string, pin uint64) (read.Frame, error) {
	settings := v.live()
	for i := range v.settings {
		if s := &v.settings[i]; pin != 0 && s.From <= pin {
			settings = s
		}
	}
	f := read.Frame{Locales: settings.Locales, DefaultLocale: settings.DefaultLocale}
	if c := v.inForce(pin)[collection]; c != nil {
		f.Schema, f.Version = c.Schema, c.Version
	}
	return f, nil
}

// rows returns what is live at the pin, in no order.
func (v *memoryView) rows(collection string, pin uint64) []read.Row {
	byEntry := map[content.EntryID]read.Row{}
	for _, r := range v.releases {
		if pin != 0 && r.Number > pin {
			break
		}
		for _, it := range r.Items {
			switch {
			case it.Collection != collection:
			case it.Revision == "":
				delete(byEntry, it.Entry)
			default:
				byEntry[it.Entry] = read.Row{
					Entry: it.Entry, Revision: it.Revision, Slug: it.Slug, PublishedAt: r.PublishedAt.UnixMilli(),
					SchemaVersion: it.SchemaVersion, Fields: []byte(it.Fields),
				}
			}
		}
	}
	var out []read.Row
	for _, row := range byEntry {
		out = append(out, row)
	}
	return out
}

// fitting is how many of these rows make a page.
func fitting(rows []read.Row, q read.ListQuery) int {
	size := 0
	for n, row := range rows {
		if n == q.Limit || q.Bytes > 0 && size >= q.Bytes {
			return n
		}
		size += len(row.Fields)
	}
	return len(rows)
}

func (v *memoryView) ByID(_ context.Context, collection string, id content.EntryID, pin uint64) (read.Row, bool, error) {
	return v.first(collection, pin, func(r read.Row) bool { return r.Entry == id })
}

func (v *memoryView) BySlug(_ context.Context, collection, slug string, pin uint64) (read.Row, bool, error) {
	return v.first(collection, pin, func(r read.Row) bool { return r.Slug == slug && slug != "" })
}

func (v *memoryView) first(collection string, pin uint64, is func(read.Row) bool) (read.Row, bool, error) {
	rows := v.rows(collection, pin)
	if i := slices.IndexFunc(rows, is); i >= 0 {
		return rows[i], true, nil
	}
	return read.Row{}, false, nil
}

func (v *memoryView) FormerSlug(ctx context.Context, collection, slug string, pin uint64) (string, bool, error) {
	for _, r := range slices.Backward(v.releases) {
		if pin != 0 && r.Number > pin {
			continue
		}
		for _, it := range r.Items {
			if it.Collection != collection || it.Revision == "" || it.Slug != slug {
				continue
			}
			row, live, err := v.ByID(ctx, collection, it.Entry, pin)
			if err != nil {
				return "", false, err
			}
			if live && row.Slug != "" && row.Slug != slug {
				return row.Slug, true, nil
			}
		}
	}
	return "", false, nil
}

// Backlinks looks at everything that is live.
func (v *memoryView) Backlinks(ctx context.Context, target content.EntryID, pin uint64, from []string, limit int) ([]read.Backlink, error) {
	var all []read.Backlink
	for _, collection := range from {
		frame, err := v.Frame(ctx, collection, pin)
		if err != nil {
			return nil, err
		}
		for _, row := range v.rows(collection, pin) {
			if frame.Schema == nil {
				continue
			}
			if slices.ContainsFunc(leavesOf(&frame, row.Fields, ""), func(l leaf) bool { return refersTo(l, target) }) {
				all = append(all, read.Backlink{Entry: row.Entry, Collection: collection, Slug: row.Slug})
			}
		}
	}
	slices.SortFunc(all, func(a, b read.Backlink) int { return -cmp.Compare(a.Entry, b.Entry) })
	return all[:min(len(all), limit)], nil
}

// refersTo reports whether a leaf is a reference to an entry, or richText with one in its attributes.
func refersTo(l leaf, target content.EntryID) bool {
	switch l.field.Type {
	case schema.TypeReference:
		return l.value == string(target)
	case schema.TypeRichText:
		return slices.Contains(stringsOf(l.value, "text", "type"), string(target))
	}
	return false
}

func (v *memoryView) Close() {
	if v.closed {
		panic("a view was closed twice")
	}
	v.closed = true
}
