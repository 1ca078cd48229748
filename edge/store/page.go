package store

import (
	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/read"
)

// page collects rows. The texts of all of them are cut from one string at the end.
type page struct {
	into  *reader
	first int // of its rows in into.rows
	bytes int // of the fields of its rows
	more  bool
}

func (p *page) begin(r *reader) {
	if p.into == nil {
		p.into, p.first = r, len(r.rows)
	}
	p.more, p.bytes = false, 0
	r.text, r.slugs, r.keys, r.rows = r.text[:0], r.slugs[:0], r.keys[:0], r.rows[:p.first]
}

func (p *page) count() int { return len(p.into.rows) - p.first }

// add takes a row of the default order.
func (p *page) add(s *layout.Position, d *layout.Document) {
	p.addKeyed(s.Entry, s.Rank == "", nil, d)
	p.into.rows[len(p.into.rows)-1].Key.Value = s.Rank
}

// addKeyed takes a row of the order of a field, with the key of its value.
func (p *page) addKeyed(e layout.EntryID, missing bool, key []byte, d *layout.Document) {
	r := p.into
	p.bytes += len(d.Fields)
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

func (p *page) end() read.Page {
	rows := p.into.rows[p.first:len(p.into.rows):len(p.into.rows)]
	text := string(p.into.text)
	for i := range rows {
		text = cutTexts(&rows[i], text, p.into.slugs[i])
		if n := p.into.keys[i]; n > 0 {
			rows[i].Key.Value, text = text[:n], text[n:]
		}
		rows[i].Key.Entry = rows[i].Entry
	}
	return read.Page{Rows: rows, More: p.more}
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
