package snapshot

import (
	"bytes"
	"context"

	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/read"
)

// BySlug looks who took a slug last by a release; the document says whether that entry still had it then.
func (r *Reader) BySlug(c uint32, slug string, release uint64) (read.Row, bool, error) {
	it, err := r.Iterator(documents) // and not another one for the slug: to open one takes as long as to use it
	if err != nil {
		return read.Row{}, false, err
	}
	r.key = r.Generation.EntrySlugAt(r.key, c, slug, release)
	if !it.SeekGE(r.key) || !bytes.HasPrefix(it.Key(), r.key[:len(r.key)-8]) {
		return read.Row{}, false, it.Error()
	}
	e, err := layout.EntrySlugIn(it)
	if err != nil {
		return read.Row{}, false, err
	}
	row, ok, err := r.Row(c, e, release)
	return row, ok && row.Slug == slug, err
}

// FormerSlug goes through those who took a slug by a release, the last first, to one that was live under another slug.
func (r *Reader) FormerSlug(c uint32, slug string, release uint64) (string, bool, error) {
	it, err := r.Iterator(Primary)
	if err != nil {
		return "", false, err
	}
	key := r.Generation.EntrySlugAt(nil, c, slug, release)
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
		now, _, err := r.State(Secondary, c, e, release)
		if err != nil {
			return "", false, err
		}
		if now.Live && now.Slug != "" && now.Slug != slug {
			return now.Slug, true, nil
		}
	}
	return "", false, it.Error()
}

// History calls see with the documents that an entry had by a release, the newest first, until it is false.
func (r *Reader) History(ctx context.Context, c uint32, e layout.EntryID, release uint64, see func(fields []byte) bool) error {
	it, err := r.Iterator(documents)
	if err != nil {
		return err
	}
	r.key = r.Generation.EntryAt(r.key, layout.TableDocument, c, e, release)
	for ok := it.SeekGE(r.key); ok && bytes.HasPrefix(it.Key(), r.key[:layout.EntryPrefixLen]); ok = it.Next() {
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

// Row reads one entry as a row without a key.
func (r *Reader) Row(c uint32, e layout.EntryID, release uint64) (read.Row, bool, error) {
	r.apart[documents] = 1 // entries that are asked for by id or slug seldom follow each other
	d, ok, err := r.Document(c, e, release)
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

// CodedTable is where the fields of documents are kept as a coding packs them.
func CodedTable(c read.Coding) layout.Table {
	if c == read.Zstd {
		return layout.TableZstd
	}
	return layout.TableGzip
}

// Coded appends the fields of an entry's revision, which it had at a release, as a coding packs them; nothing where they are not kept so.
func (r *Reader) Coded(dst []byte, coding read.Coding, c uint32, e layout.EntryID, revision [16]byte, release uint64) ([]byte, error) {
	r.key = r.Generation.EntryAt(r.key, CodedTable(coding), c, e, release)
	it, err := r.seek(coded)
	if err != nil {
		return dst, err
	}
	if !it.Valid() || !bytes.HasPrefix(it.Key(), r.key[:layout.EntryPrefixLen]) {
		return dst, it.Error()
	}
	stored, err := it.ValueAndErr()
	if err != nil {
		return dst, err
	}
	if fields, ok := bytes.CutPrefix(stored, revision[:]); ok { // else it is an older one, and this one is too small
		dst = append(dst, fields...)
	}
	return dst, nil
}

// EachEntry calls visit with every entry of a collection that ever was published, the newest first, and the number that it has in
// the order of its collection now, until visit returns false or the context ends. It takes the role Primary.
func (r *Reader) EachEntry(ctx context.Context, c uint32, visit func(e layout.EntryID, n uint32) (more bool, err error)) error {
	it, err := r.Iterator(Primary)
	if err != nil {
		return err
	}
	start := r.Generation.Collection(nil, layout.TableFirst, c)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, n, err := layout.FirstIn(it)
		if err != nil {
			return err
		}
		more, err := visit(layout.EntryIn(it.Key()[layout.CollectionLen:]), n)
		if err != nil || !more {
			return err
		}
	}
	return it.Error()
}
