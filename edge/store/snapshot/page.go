package snapshot

import (
	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/read"
)

// Page collects rows. The texts of all of them are cut from one string at the end.
type Page struct {
	into  *Reader
	first int // of its rows in into.rows
	Bytes int // of the fields of its rows
	More  bool
}

// Begin empties the page, whose rows are kept by a reader from the first call on.
func (p *Page) Begin(r *Reader) {
	if p.into == nil {
		p.into, p.first = r, len(r.rows)
	}
	p.More, p.Bytes = false, 0
	r.text, r.slugs, r.keys, r.rows = r.text[:0], r.slugs[:0], r.keys[:0], r.rows[:p.first]
}

// Count is how many rows the page has.
func (p *Page) Count() int { return len(p.into.rows) - p.first }

// Add takes a row of the default order.
func (p *Page) Add(s *layout.Position, d *layout.Document) {
	p.AddKeyed(s.Entry, s.Rank == "", nil, d)
	p.into.rows[len(p.into.rows)-1].Key.Value = s.Rank
}

// AddKeyed takes a row of the order of a field, with the key of its value.
func (p *Page) AddKeyed(e layout.EntryID, missing bool, key []byte, d *layout.Document) {
	r := p.into
	p.Bytes += len(d.Fields)
	r.text = content.AppendText[content.EntryID](r.text, e)
	r.text = content.AppendText[content.RevisionID](r.text, d.Revision)
	r.text = append(r.text, d.Slug...)
	r.text = append(r.text, key...)
	r.slugs = append(r.slugs, len(d.Slug))
	r.keys = append(r.keys, len(key))
	r.rows = append(r.rows, read.Row{
		PublishedAt: d.Published, SchemaVersion: d.Version, Fields: r.keep(d.Fields), Key: read.Key{Missing: missing},
	})
}

// Rows ends the page.
func (p *Page) Rows() read.Page {
	rows := p.into.rows[p.first:len(p.into.rows):len(p.into.rows)]
	text := string(p.into.text)
	for i := range rows {
		text = cutTexts(&rows[i], text, p.into.slugs[i])
		if n := p.into.keys[i]; n > 0 {
			rows[i].Key.Value, text = text[:n], text[n:]
		}
		rows[i].Key.Entry = rows[i].Entry
	}
	return read.Page{Rows: rows, More: p.More}
}

// idLength is that of entry and revision ids.
const idLength = len("ent_") + 26

// cutTexts gives a row its entry, revision and slug, which begin the text.
func cutTexts(row *read.Row, text string, slug int) (rest string) {
	row.Entry = content.EntryID(text[:idLength])
	row.Revision = content.RevisionID(text[idLength : 2*idLength])
	row.Slug = text[2*idLength : 2*idLength+slug]
	return text[2*idLength+slug:]
}

// RowOf is a document as a row whose fields last until the iterator of documents moves.
func (r *Reader) RowOf(e layout.EntryID, d *layout.Document) read.Row {
	r.text = content.AppendText[content.EntryID](r.text[:0], e)
	r.text = content.AppendText[content.RevisionID](r.text, d.Revision)
	r.text = append(r.text, d.Slug...)
	row := read.Row{PublishedAt: d.Published, SchemaVersion: d.Version, Fields: d.Fields}
	cutTexts(&row, string(r.text), len(d.Slug))
	return row
}
