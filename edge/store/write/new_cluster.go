package write

import (
	"bytes"
	"slices"

	"svc/edge/store/layout"
)

// gap is where no range with clusters lies: behind one, before another.
type gap struct {
	after   *layout.SortKey // last place of the range before; nil: there is none
	before  *layout.SortKey // first place of the range behind
	bounded bool            // there is one
}

func (g *gap) holds(p *layout.SortKey) bool {
	return (g.after == nil || g.after.Compare(p) < 0) && (!g.bounded || p.Compare(g.before) < 0)
}

// beginCluster makes a range around an entry, as far as the gap allows, and its first two clusters: one that tells
// everything so far, and one that begins with this release. The gap then lies behind it.
func (p *publication) beginCluster(f *publishedRow, g *gap) error {
	first, last, err := p.chooseRange(f, g)
	if err != nil {
		return err
	}
	n, _ := slices.BinarySearchFunc(p.rows, first, func(f publishedRow, q layout.SortKey) int { return f.Compare(&q) })
	rows := p.rows[n:]
	rows = rows[:p.until(n, func(q *layout.SortKey) bool { return q.Compare(&last) > 0 })]
	now := renewal{p: p, s: layout.Cluster{Collection: p.a.Number, First: first, From: p.release.Number}, rows: rows, limit: p.options.ClusterSize * clusterGrowth / 2}
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
	g.after = &now.s.Last
	return nil
}

// chooseRange takes about half of the neighbours before an entry and half behind it.
func (p *publication) chooseRange(f *publishedRow, g *gap) (first, last layout.SortKey, err error) {
	first, last = f.SortKey, f.SortKey
	left := max(1, min(p.options.ClusterSize, clusterBytes/(len(f.item.Fields)+1))) - 1
	back := func(n int) {
		p.key = p.State.Gen.SortKey(p.key, layout.TableFirst, p.a.Number, &first)
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
	p.key = p.State.Gen.SortKey(p.key, layout.TableFirst, p.a.Number, &last)
	for ok := p.it.SeekGE(layout.Successor(p.key)); left > 0 && ok; ok = p.it.Next() {
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

// everIn reads the row of TableFirst at which the iterator stands; false where it stands elsewhere.
func (p *publication) everIn() (q layout.SortKey, ok bool) {
	if !bytes.HasPrefix(p.it.Key(), p.key[:layout.CollectionLen]) {
		return q, false
	}
	copy(q[:], p.it.Key()[layout.CollectionLen:])
	return q, true
}

// isShort reports whether the whole history of a range finds room in one cluster.
func (p *publication) isShort(first, last *layout.SortKey) (bool, error) {
	p.key = p.State.Gen.SortKey(p.key, layout.TableEntry, p.a.Number, first)
	rows := 0
	for ok := p.it.SeekGE(p.key); ok && bytes.HasPrefix(p.it.Key(), p.key[:layout.CollectionLen]); ok = p.it.Next() {
		if bytes.Compare(p.it.Key()[layout.CollectionLen:layout.EntryPrefixLen], last[:]) > 0 {
			break
		}
		if rows++; rows > clusterHistory*p.options.ClusterSize {
			return false, nil
		}
	}
	return true, p.it.Error()
}

// copyHistory gives the newest documents of a range to a new cluster, and where the range's history is short all of them
// to one that comes before.
func (p *publication) copyHistory(now *renewal, last *layout.SortKey, short bool) error {
	before := layout.Cluster{Collection: p.a.Number, First: now.s.First, Last: *last}
	if short {
		if err := p.begin(&before); err != nil {
			return err
		}
	}
	start := p.State.Gen.SortKey(nil, layout.TableDocument, p.a.Number, &now.s.First)
	var at, former layout.SortKey
	for ok, first := p.it.SeekGE(start), true; ok && bytes.HasPrefix(p.it.Key(), start[:layout.CollectionLen]); first = false {
		copy(at[:], p.it.Key()[layout.CollectionLen:])
		if at.Compare(last) > 0 {
			break
		}
		if first || at != former {
			if err := now.keep(p.it, &at); err != nil {
				return err
			}
			former = at
		}
		if !short {
			p.key = append(append(start[:layout.CollectionLen], at[:]...), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
			ok = p.it.SeekGE(p.key)
			continue
		}
		doc, err := p.it.ValueAndErr()
		if err != nil {
			return err
		}
		p.key = append(before.Key(p.State.Gen, p.key), p.it.Key()[layout.CollectionLen:]...)
		if err := p.out.Put(p.key, doc, nil); err != nil {
			return err
		}
		ok = p.it.Next()
	}
	return p.it.Error()
}
