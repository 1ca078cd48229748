package store

import (
	"bytes"
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
	row, ok, err := v.r.row(c.number, e, at(pin))
	return row, ok, fault.Wrap(err, "read an entry")
}

// BySlug looks who took the slug last by then; the document says whether that entry still had it.
func (v *view) BySlug(ctx context.Context, key, slug string, pin uint64) (read.Row, bool, error) {
	c := v.meta.places[key]
	if c == nil || slug == "" || strings.IndexByte(slug, 0) >= 0 {
		return read.Row{}, false, nil
	}
	row, ok, err := v.bySlug(c.number, slug, at(pin))
	return row, ok, fault.Wrap(err, "read an entry by its slug")
}

func (v *view) bySlug(c uint32, slug string, release uint64) (read.Row, bool, error) {
	it, err := v.r.iterator(walking)
	if err != nil {
		return read.Row{}, false, err
	}
	v.r.key = v.meta.gen.EntrySlugAt(v.r.key, c, slug, release)
	if !it.SeekGE(v.r.key) || !bytes.HasPrefix(it.Key(), v.r.key[:len(v.r.key)-8]) {
		return read.Row{}, false, it.Error()
	}
	e, err := layout.EntrySlugIn(it)
	if err != nil {
		return read.Row{}, false, err
	}
	row, ok, err := v.r.row(c, e, release)
	return row, ok && row.Slug == slug, err
}

// FormerSlug walks those who took the slug by then, the last first, to one that was live.
func (v *view) FormerSlug(ctx context.Context, key, slug string, pin uint64) (string, bool, error) {
	c := v.meta.places[key]
	if c == nil || slug == "" || strings.IndexByte(slug, 0) >= 0 {
		return "", false, nil
	}
	canonical, ok, err := v.formerSlug(c.number, slug, at(pin))
	return canonical, ok, fault.Wrap(err, "look for a former slug")
}

func (v *view) formerSlug(c uint32, slug string, release uint64) (string, bool, error) {
	it, err := v.r.iterator(walking)
	if err != nil {
		return "", false, err
	}
	key := v.meta.gen.EntrySlugAt(nil, c, slug, release)
	prefix := key[:len(key)-8]
	seen := map[layout.EntryID]bool{}
	for ok := it.SeekGE(key); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		e, err := layout.EntrySlugIn(it)
		if err != nil {
			return "", false, err
		}
		if seen[e] {
			continue
		}
		seen[e] = true
		now, _, err := v.r.state(beside, c, e, release)
		if err != nil {
			return "", false, err
		}
		if now.Live && now.Slug != "" && now.Slug != slug {
			return now.Slug, true, nil
		}
	}
	return "", false, it.Error()
}

// History walks the documents of an entry.
func (v *view) History(ctx context.Context, key string, id content.EntryID, pin uint64, see func(fields []byte) bool) error {
	c := v.meta.places[key]
	e, ok := content.Bytes(id)
	if c == nil || !ok {
		return nil
	}
	return fault.Wrap(v.history(ctx, c.number, e, at(pin), see), "read the revisions of an entry")
}

func (v *view) history(ctx context.Context, c uint32, e layout.EntryID, release uint64, see func(fields []byte) bool) error {
	it, err := v.r.iterator(documents)
	if err != nil {
		return err
	}
	v.r.key = v.meta.gen.EntryAt(v.r.key, layout.TableDocument, c, e, release)
	for ok := it.SeekGE(v.r.key); ok && bytes.HasPrefix(it.Key(), v.r.key[:layout.EntryPrefixLen]); ok = it.Next() {
		d, live, err := layout.DocumentIn(it)
		if err != nil {
			return err
		}
		if live && !see(d.Fields) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return it.Error()
}

// row reads one entry as a row without a key.
func (r *reader) row(c uint32, e layout.EntryID, release uint64) (read.Row, bool, error) {
	d, ok, err := r.document(c, e, release)
	if err != nil || !ok {
		return read.Row{}, false, err
	}
	r.text = content.AppendText[content.EntryID](r.text[:0], e)
	r.text = content.AppendText[content.RevisionID](r.text, d.Revision)
	r.text = append(r.text, d.Slug...)
	row := read.Row{PublishedAt: d.Published, SchemaVersion: d.Version, Fields: r.keep(d.Fields)}
	cutTexts(&row, string(r.text), len(d.Slug))
	return row, true, nil
}
