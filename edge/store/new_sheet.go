package store

import (
	"bytes"
	"slices"
)

// gap is where no range with sheets lies: behind one, before another.
type gap struct {
	after   *sortKey // last place of the range before; nil: there is none
	before  *sortKey // first place of the range behind
	bounded bool     // there is one
}

func (g *gap) holds(p *sortKey) bool {
	return (g.after == nil || g.after.compare(p) < 0) && (!g.bounded || p.compare(g.before) < 0)
}

// beginSheet makes a range around an entry, as far as the gap allows, and its first two sheets: one that tells
// everything so far, and one that begins with this release. The gap then lies behind it.
func (p *publication) beginSheet(f *filed, g *gap) error {
	first, last, err := p.chooseRange(f, g)
	if err != nil {
		return err
	}
	n, _ := slices.BinarySearchFunc(p.filed, first, func(f filed, q sortKey) int { return f.compare(&q) })
	rows := p.filed[n:]
	rows = rows[:p.until(n, func(q *sortKey) bool { return q.compare(&last) > 0 })]
	now := renewal{publication: p, s: sheet{c: p.a.number, first: first, from: p.release.Number}, rows: rows, limit: p.s.sheetSize * sheetGrowth / 2}
	short, err := p.isShort(&first, &last)
	if err != nil {
		return err
	}
	if err := p.copyHistory(&now, &last, short); err != nil {
		return err
	}
	if err := now.end(&last); err != nil {
		return err
	}
	g.after = &now.s.last
	return nil
}

// chooseRange takes about half of the neighbours before an entry and half behind it.
func (p *publication) chooseRange(f *filed, g *gap) (first, last sortKey, err error) {
	first, last = f.sortKey, f.sortKey
	left := max(1, min(p.s.sheetSize, sheetBytes/(len(f.item.Fields)+1))) - 1
	back := func(n int) {
		p.key = p.led.gen.place(p.key, tableEver, p.a.number, &first)
		for ok := p.it.SeekLT(p.key); n > 0 && ok; ok, n = p.it.Prev(), n-1 {
			q, ok := p.everIn()
			if !ok || !g.holds(&q) {
				return
			}
			first = q
			left--
		}
	}
	back(left / 2)
	p.key = p.led.gen.place(p.key, tableEver, p.a.number, &last)
	for ok := p.it.SeekGE(successor(p.key)); left > 0 && ok; ok = p.it.Next() {
		q, ok := p.everIn()
		if !ok || !g.holds(&q) {
			break
		}
		last = q
		left--
	}
	back(left)
	return first, last, p.it.Error()
}

// everIn reads the row of tableEver at which the iterator stands; false where it stands elsewhere.
func (p *publication) everIn() (q sortKey, ok bool) {
	if !bytes.HasPrefix(p.it.Key(), p.key[:collectionLen]) {
		return q, false
	}
	copy(q[:], p.it.Key()[collectionLen:])
	return q, true
}

// isShort reports whether the whole history of a range finds room in one sheet.
func (p *publication) isShort(first, last *sortKey) (bool, error) {
	p.key = p.led.gen.place(p.key, tableEntry, p.a.number, first)
	rows := 0
	for ok := p.it.SeekGE(p.key); ok && bytes.HasPrefix(p.it.Key(), p.key[:collectionLen]); ok = p.it.Next() {
		if bytes.Compare(p.it.Key()[collectionLen:entryPrefixLen], last[:]) > 0 {
			break
		}
		if rows++; rows > sheetHistory*p.s.sheetSize {
			return false, nil
		}
	}
	return true, p.it.Error()
}

// copyHistory gives the newest documents of a range to a new sheet, and where the range's history is short all of them
// to one that comes before.
func (p *publication) copyHistory(now *renewal, last *sortKey, short bool) error {
	before := sheet{c: p.a.number, first: now.s.first, last: *last}
	if short {
		if err := p.begin(&before); err != nil {
			return err
		}
	}
	start := p.led.gen.place(nil, tableDocument, p.a.number, &now.s.first)
	var at, former sortKey
	for ok, first := p.it.SeekGE(start), true; ok && bytes.HasPrefix(p.it.Key(), start[:collectionLen]); first = false {
		copy(at[:], p.it.Key()[collectionLen:])
		if at.compare(last) > 0 {
			break
		}
		if first || at != former {
			if err := now.keep(p.it, &at); err != nil {
				return err
			}
			former = at
		}
		if !short {
			p.key = append(append(start[:collectionLen], at[:]...), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
			ok = p.it.SeekGE(p.key)
			continue
		}
		doc, err := p.it.ValueAndErr()
		if err != nil {
			return err
		}
		p.key = append(before.key(p.led.gen, p.key), p.it.Key()[collectionLen:]...)
		if err := p.out.put(p.key, doc, nil); err != nil {
			return err
		}
		ok = p.it.Next()
	}
	return p.it.Error()
}
