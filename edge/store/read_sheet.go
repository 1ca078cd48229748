package store

import (
	"bytes"
	"sync/atomic"
)

// filing is where a list reads documents from sheets.
type filing struct {
	sheet
	on      bool
	release uint64
	rest    int          // documents to look for one by one before a sheet is looked for again
	hint    *atomic.Bool // the last list of the collection met sheets
}

// restBetween is how many documents are looked for one by one where there was no sheet.
const restBetween = 3

// listed is document for lists, which ask in the order of places. Where documents follow each other it only steps;
// where they do not, because the entries were published again and again, it goes on in a sheet if there is one.
func (r *reader) listed(c uint32, s *position, release uint64) (document, bool, error) {
	if s.rank != "" {
		return r.document(c, s.entry, release)
	}
	p := sortKeyOf(s.entry)
	it := r.its[documents]
	began := it != nil && it.Valid()
	f := &r.filing
	if f.on && !f.holds(&p) || !f.on && !began && f.rest == 0 && f.hint.Load() {
		if err := r.findSheet(c, &p, release); err != nil {
			return document{}, false, err
		}
	}
	if f.on {
		return r.filed(&p)
	}
	it, err := r.iterator(documents)
	if err != nil {
		return document{}, false, err
	}
	r.key = r.gen.entryAt(r.key, tableDocument, c, s.entry, release)
	if !r.follows(it) {
		if began && f.rest == 0 {
			if err := r.findSheet(c, &p, release); err != nil {
				return document{}, false, err
			}
			if f.on {
				return r.filed(&p)
			}
			r.key = r.gen.entryAt(r.key, tableDocument, c, s.entry, release)
		}
		f.rest = max(0, f.rest-1)
		it.SeekGE(r.key)
	}
	return r.documentIn(it)
}

// findSheet looks for the sheet of a place, first for one that begins with it: lists mostly come from the sheet before,
// or from the front.
func (r *reader) findSheet(c uint32, p *sortKey, release uint64) error {
	it, err := r.iterator(sheets)
	if err != nil {
		return err
	}
	s, found, err := sheetOf(it, r.gen, c, p, release)
	if err == nil && !found {
		s, found, err = sheetAt(it, r.gen, c, p, release)
	}
	f := &r.filing
	f.sheet, f.release, f.on, f.rest = s, release, found && s.holds(p), 0
	if !f.on {
		f.rest = restBetween
	}
	if f.hint.Load() != f.on {
		f.hint.Store(f.on)
	}
	return err
}

// filed reads a document from the sheet found last. What is not in it was not live.
func (r *reader) filed(p *sortKey) (document, bool, error) {
	it, err := r.iterator(sheets)
	if err != nil {
		return document{}, false, err
	}
	r.key = r.filing.row(r.gen, r.key, p, r.filing.release)
	if !r.follows(it) {
		it.SeekGE(r.key)
	}
	if !it.Valid() || !bytes.HasPrefix(it.Key(), r.key[:sheetRelease]) {
		return document{}, false, it.Error()
	}
	return valueIn(it)
}
