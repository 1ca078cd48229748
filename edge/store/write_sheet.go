package store

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"svc/replication/record/recordpb"
)

// filed is a document, or its absence, that a release brings and that a sheet may have to take.
type filed struct {
	sortKey
	now   state
	item  *recordpb.Item
	again bool // the entry was published before
}

// fill is how many rows a sheet has, and how many of them it began with.
type fill struct{ rows, base int }

// room reports whether rows more fit: a sheet ends when it has as much as it began with once more.
func (f fill) room(rows int) bool { return f.rows+rows <= f.base+max(f.base, minSheetRoom) }

// minSheetRoom keeps sheets of few entries from following each other too fast.
const minSheetRoom = 8

// file gives what a release did to the sheets that have to know it, and begins new ones. What it brought is in the
// order of places.
func (p *publication) file() error {
	made := 0
	var end *sortKey // of the last sheet before the next entry
	for i := 0; i < len(p.filed); {
		at := &p.filed[i].sortKey
		s, found, err := p.sheetNow(at)
		if err != nil {
			return err
		}
		if found && s.holds(at) {
			n := i + p.until(i, func(q *sortKey) bool { return q.compare(&s.last) > 0 })
			if err := p.extend(s, p.filed[i:n]); err != nil {
				return err
			}
			end, i = &s.last, n
			continue
		}
		if found && (end == nil || end.compare(&s.last) < 0) {
			end = &s.last
		}
		next, bounded, err := p.nextSheet(at)
		if err != nil {
			return err
		}
		n := i + p.until(i, func(q *sortKey) bool { return bounded && q.compare(&next) >= 0 })
		gap := gap{after: end, before: &next, bounded: bounded}
		for ; i < n; i++ {
			if made == maxNewSheets || gap.after != nil && p.filed[i].compare(gap.after) <= 0 {
				continue
			}
			due, err := p.wantsSheet(&p.filed[i])
			if err != nil {
				return err
			}
			if due {
				if err := p.beginSheet(&p.filed[i], &gap); err != nil {
					return err
				}
				made++
			}
		}
		end = gap.after
	}
	return nil
}

// until counts the entries from i on up to the first that stops.
func (p *publication) until(i int, stop func(*sortKey) bool) int {
	n := slices.IndexFunc(p.filed[i:], func(f filed) bool { return stop(&f.sortKey) })
	if n < 0 {
		n = len(p.filed) - i
	}
	return n
}

// nextSheet finds where the next range with sheets begins behind a place; false where none does.
func (p *publication) nextSheet(at *sortKey) (first sortKey, found bool, err error) {
	p.key = p.led.gen.place(p.key, tableSheet, p.a.number, at)
	prefix := p.key[:collectionLen]
	p.key = append(p.key, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff) // behind all that begin there
	if !p.it.SeekGE(p.key) || !bytes.HasPrefix(p.it.Key(), prefix) {
		return first, false, p.it.Error()
	}
	copy(first[:], p.it.Key()[sheetRange:])
	return first, true, nil
}

// extend adds what a release brought to a sheet, or begins the next one of its range.
func (p *publication) extend(s sheet, rows []filed) error {
	f, known := p.a.sheets.fillOf(&s)
	if !known {
		var err error
		if f, err = p.measure(&s); err != nil {
			return err
		}
	}
	if !f.room(len(rows)) {
		return p.renewSheet(s, rows)
	}
	for i := range rows {
		if err := p.putInSheet(&s, &rows[i]); err != nil {
			return err
		}
	}
	f.rows += len(rows)
	p.a.sheets.remember(s, f)
	return nil
}

func (p *publication) measure(s *sheet) (f fill, err error) {
	prefix := s.key(p.led.gen, nil)
	for p.it.SeekGE(prefix); p.it.Next(); {
		_, release, ok := s.rowIn(p.it, prefix)
		if !ok {
			break
		}
		if f.rows++; release <= s.from {
			f.base++
		}
	}
	return f, p.it.Error()
}

func (p *publication) putInSheet(s *sheet, row *filed) error {
	p.key = s.row(p.led.gen, p.key, &row.sortKey, p.release.Number)
	if !row.now.live {
		return p.out.put(p.key, nil, nil)
	}
	p.value = p.document(&row.now, row.item).appendHeader(p.value[:0])
	return p.out.put(p.key, p.value, row.item.Fields)
}

// wantsSheet reports whether an entry has been published so often that lists had better find its document in a sheet.
func (p *publication) wantsSheet(f *filed) (bool, error) {
	if !f.again || !f.now.live {
		return false, nil
	}
	p.key = p.led.gen.place(p.key, tableEntry, p.a.number, &f.sortKey)
	former := 0
	for ok := p.it.SeekGE(p.key); ok && bytes.HasPrefix(p.it.Key(), p.key); ok = p.it.Next() {
		if former++; former == sheetRepublish-1 {
			return true, nil
		}
	}
	return false, p.it.Error()
}

// renewal makes a sheet that begins with the release under way. It is given the newest row that each entry of the range
// had before, in order.
type renewal struct {
	*publication
	s     sheet
	rows  []filed // of this release, those still to come
	count int
	limit int
	full  bool
}

// renewSheet ends a sheet and begins the next one of the range.
func (p *publication) renewSheet(old sheet, rows []filed) error {
	r := renewal{publication: p, s: old, rows: rows, limit: p.s.sheetSize * sheetGrowth / 2}
	r.s.from = p.release.Number
	prefix := old.key(p.led.gen, nil)
	var last sortKey
	for ok, first := p.it.SeekGE(prefix) && p.it.Next(), true; ok; ok, first = p.it.Next(), false {
		at, _, ok := old.rowIn(p.it, prefix)
		if !ok {
			break
		}
		if !first && at == last {
			continue
		}
		if err := r.keep(p.it, &at); err != nil {
			return err
		}
		last = at
	}
	if err := p.it.Error(); err != nil {
		return err
	}
	return r.end(&old.last)
}

// keep takes the document of an entry at whose newest row the iterator stands.
func (r *renewal) keep(it *pebble.Iterator, at *sortKey) error {
	for len(r.rows) > 0 && r.rows[0].compare(at) <= 0 {
		row := &r.rows[0]
		r.rows = r.rows[1:]
		if err := r.bring(row); err != nil {
			return err
		}
		if row.sortKey == *at {
			return nil
		}
	}
	doc, err := it.ValueAndErr()
	if err != nil || len(doc) == 0 || !r.takes(at) {
		return err
	}
	r.key = append(r.s.key(r.led.gen, r.key), it.Key()[len(it.Key())-24:]...)
	return r.out.put(r.key, doc, nil)
}

func (r *renewal) bring(row *filed) error {
	if !row.now.live || !r.takes(&row.sortKey) {
		return nil
	}
	return r.putInSheet(&r.s, row)
}

// takes counts an entry in, and reports whether the sheet is not full: one that would grow too long ends earlier.
func (r *renewal) takes(at *sortKey) bool {
	if r.full = r.full || r.count == r.limit; r.full {
		return false
	}
	r.count++
	r.s.last = *at
	return true
}

// end brings what is left, and makes the range end where the former one did if all of it found room.
func (r *renewal) end(last *sortKey) error {
	for len(r.rows) > 0 {
		row := &r.rows[0]
		r.rows = r.rows[1:]
		if err := r.bring(row); err != nil {
			return err
		}
	}
	if !r.full {
		r.s.last = *last
	}
	r.a.sheets.remember(r.s, fill{rows: r.count, base: r.count})
	return r.begin(&r.s)
}

func (p *publication) begin(s *sheet) error {
	p.key = s.key(p.led.gen, p.key)
	return p.out.put(p.key, s.last[:], nil)
}
