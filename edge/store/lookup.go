package store

import (
	"bytes"
	"context"
	"strings"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// at is the release to read for a pin: the newest there is for pin 0.
func at(pin uint64) uint64 {
	if pin == 0 {
		return maxRelease
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
	v.r.key = v.meta.gen.taker(v.r.key, c, slug)
	prefix := len(v.r.key)
	v.r.key = appendInvertedNumber(v.r.key, release)
	if !it.SeekGE(v.r.key) || !bytes.HasPrefix(it.Key(), v.r.key[:prefix]) {
		return read.Row{}, false, it.Error()
	}
	e, err := takerIn(it)
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
	prefix := v.meta.gen.taker(nil, c, slug)
	v.r.key = appendInvertedNumber(append(v.r.key[:0], prefix...), release)
	seen := map[entryID]bool{}
	for ok := it.SeekGE(v.r.key); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		e, err := takerIn(it)
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
		if now.live && now.slug != "" && now.slug != slug {
			return now.slug, true, nil
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

func (v *view) history(ctx context.Context, c uint32, e entryID, release uint64, see func(fields []byte) bool) error {
	it, err := v.r.iterator(documents)
	if err != nil {
		return err
	}
	v.r.key = v.meta.gen.entryAt(v.r.key, tableDocument, c, e, release)
	for ok := it.SeekGE(v.r.key); ok && bytes.HasPrefix(it.Key(), v.r.key[:entryPrefixLen]); ok = it.Next() {
		d, live, err := valueIn(it)
		if err != nil {
			return err
		}
		if live && !see(d.fields) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return it.Error()
}

// row reads one entry as a row without a key.
func (r *reader) row(c uint32, e entryID, release uint64) (read.Row, bool, error) {
	d, ok, err := r.document(c, e, release)
	if err != nil || !ok {
		return read.Row{}, false, err
	}
	r.text = content.AppendText[content.EntryID](r.text[:0], e)
	r.text = content.AppendText[content.RevisionID](r.text, d.revision)
	r.text = append(r.text, d.slug...)
	row := read.Row{PublishedAt: d.published, SchemaVersion: d.version, Fields: r.keep(d.fields)}
	cutTexts(&row, string(r.text), len(d.slug))
	return row, true, nil
}
