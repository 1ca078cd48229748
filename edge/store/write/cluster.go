package write

import (
	"bytes"
	"slices"

	"svc/edge/store/layout"
	"svc/replication/record/recordpb"
)

const (
	defaultCluster   = 64        // entries of a cluster, at most
	clusterBytes     = 512 << 10 // and about how much they take at most
	ClusterRepublish = 3         // an entry's document with this number begins a cluster
	maxNewClusters   = 8         // that one release begins in a collection
)

// publishedRow is a document, or its absence, that a release brings and that a cluster may have to take.
type publishedRow struct {
	layout.SortKey
	now         layout.EntryState
	item        *recordpb.Item
	republished bool // the entry was published before
}

// ClusterFill is how many rows a cluster has, and how many of them it began with.
type ClusterFill struct{ Rows, Base int }

// Room reports whether rows more fit: a cluster ends when it has as much as it began with once more.
func (f ClusterFill) Room(rows int) bool { return f.Rows+rows <= f.Base+max(f.Base, minClusterRoom) }

// minClusterRoom keeps clusters of few entries from following each other too fast.
const minClusterRoom = 8

// writeClusters adds what a release brought, in the order of lists, to the clusters of its entries, and begins clusters around
// entries that have none and were published often.
func (p *publication) writeClusters() error {
	begun := 0
	var free gap
	for i := 0; i < len(p.rows); {
		at := &p.rows[i].SortKey
		if !free.holds(at) {
			s, found, err := layout.ClusterAt(p.it, p.State.Gen, p.a.Number, at, layout.MaxRelease)
			if err != nil {
				return err
			}
			if found && s.Holds(at) {
				rows := p.rowsUpTo(i, &s.Last)
				if err := p.extend(s, rows); err != nil {
					return err
				}
				i += len(rows)
				continue
			}
			if free, err = p.gapAt(at, s, found); err != nil {
				return err
			}
		}
		due, err := p.wantsCluster(&p.rows[i])
		if err != nil {
			return err
		}
		if !due || begun == maxNewClusters {
			i++
			continue
		}
		last, err := p.beginCluster(&p.rows[i], &free)
		if err != nil {
			return err
		}
		begun++
		i += len(p.rowsUpTo(i, &last))
		free.after = &last
	}
	return nil
}

// rowsUpTo are those from i on that lie not behind a place.
func (p *publication) rowsUpTo(i int, last *layout.SortKey) []publishedRow {
	n := i
	for n < len(p.rows) && p.rows[n].Compare(last) <= 0 {
		n++
	}
	return p.rows[i:n]
}

// gap is where no cluster lies: behind one, before another.
type gap struct {
	known  bool
	after  *layout.SortKey // last place of the cluster before; nil: there is none
	before *layout.SortKey // first place of the cluster behind; nil: there is none
}

func (g *gap) holds(p *layout.SortKey) bool {
	return g.known && (g.after == nil || g.after.Compare(p) < 0) && (g.before == nil || p.Compare(g.before) < 0)
}

// gapAt is the gap of a place that lies in no cluster, behind s where that was found.
func (p *publication) gapAt(at *layout.SortKey, s layout.Cluster, found bool) (gap, error) {
	g := gap{known: true}
	if found {
		g.after = &s.Last
	}
	p.key = p.State.Gen.SortKey(p.key, layout.TableCluster, p.a.Number, at)
	if p.it.SeekGE(p.key) && bytes.HasPrefix(p.it.Key(), p.key[:layout.CollectionLen]) {
		first := layout.ClusterStart(p.it.Key())
		g.before = &first
	}
	return g, p.it.Error()
}

// wantsCluster reports whether an entry has been published so often that lists had better find its document in a cluster.
func (p *publication) wantsCluster(f *publishedRow) (bool, error) {
	if !f.republished || !f.now.Live {
		return false, nil
	}
	p.key = p.State.Gen.SortKey(p.key, layout.TableEntry, p.a.Number, &f.SortKey)
	former := 0
	for ok := p.it.SeekGE(p.key); ok && bytes.HasPrefix(p.it.Key(), p.key); ok = p.it.Next() {
		if former++; former == ClusterRepublish-1 {
			return true, nil
		}
	}
	return false, p.it.Error()
}

// beginCluster makes a cluster around an entry, as far as the gap allows, with all documents that the entries in it ever had.
func (p *publication) beginCluster(f *publishedRow, free *gap) (last layout.SortKey, err error) {
	s := layout.Cluster{Collection: p.a.Number}
	if s.First, s.Last, err = p.chooseRange(f, free); err != nil {
		return s.Last, err
	}
	if err := p.putCluster(&s); err != nil {
		return s.Last, err
	}
	start := p.State.Gen.SortKey(nil, layout.TableDocument, p.a.Number, &s.First)
	for ok := p.it.SeekGE(start); ok && bytes.HasPrefix(p.it.Key(), start[:layout.CollectionLen]); ok = p.it.Next() {
		row := p.it.Key()[layout.CollectionLen:]
		if bytes.Compare(row[:len(s.Last)], s.Last[:]) > 0 {
			break
		}
		if err := p.copyInto(&s, row); err != nil {
			return s.Last, err
		}
	}
	if err := p.it.Error(); err != nil {
		return s.Last, err
	}
	first, _ := slices.BinarySearchFunc(p.rows, s.First, func(f publishedRow, q layout.SortKey) int { return f.Compare(&q) })
	return s.Last, p.putRows(&s, p.rowsUpTo(first, &s.Last))
}

// chooseRange takes about half of the neighbours before an entry and half behind it, where there are so many.
func (p *publication) chooseRange(f *publishedRow, free *gap) (first, last layout.SortKey, err error) {
	first, last = f.SortKey, f.SortKey
	left := max(1, min(p.options.ClusterSize, clusterBytes/(len(f.item.Fields)+1))) - 1
	start := p.State.Gen.SortKey(nil, layout.TableFirst, p.a.Number, &f.SortKey)
	take := func(ok bool, into *layout.SortKey) bool {
		if !ok || !bytes.HasPrefix(p.it.Key(), start[:layout.CollectionLen]) {
			return false
		}
		q := layout.SortKey(p.it.Key()[layout.CollectionLen:])
		if !free.holds(&q) {
			return false
		}
		*into = q
		left--
		return true
	}
	back := func(n int) {
		p.key = p.State.Gen.SortKey(p.key, layout.TableFirst, p.a.Number, &first)
		for ok := p.it.SeekLT(p.key); n > 0 && take(ok, &first); n-- {
			ok = p.it.Prev()
		}
	}
	back(left / 2)
	for ok := p.it.SeekGE(layout.Successor(start)); left > 0 && take(ok, &last); {
		ok = p.it.Next()
	}
	back(left)
	return first, last, p.it.Error()
}

// extend adds what a release brought to a cluster, or begins the next one of its range.
func (p *publication) extend(s layout.Cluster, rows []publishedRow) error {
	f, err := p.measure(&s)
	if err != nil {
		return err
	}
	if f.Room(len(rows)) {
		return p.putRows(&s, rows)
	}
	return p.renew(s, rows)
}

func (p *publication) measure(s *layout.Cluster) (f ClusterFill, err error) {
	prefix := s.Key(p.State.Gen, nil)
	for p.it.SeekGE(prefix); p.it.Next(); {
		_, release, ok := s.RowAt(p.it, prefix)
		if !ok {
			break
		}
		if f.Rows++; release <= s.From {
			f.Base++
		}
	}
	return f, p.it.Error()
}

// renew ends a cluster and begins the next one of its range with what is live after the release.
func (p *publication) renew(old layout.Cluster, rows []publishedRow) error {
	s := old
	s.From = p.release.Number
	if err := p.putCluster(&s); err != nil {
		return err
	}
	prefix := old.Key(p.State.Gen, nil)
	var last layout.SortKey
	for n, ok := 0, p.it.SeekGE(prefix) && p.it.Next(); ok; n, ok = n+1, p.it.Next() {
		at, _, in := old.RowAt(p.it, prefix)
		if !in {
			break
		}
		_, replaced := slices.BinarySearchFunc(rows, at, func(f publishedRow, q layout.SortKey) int { return f.Compare(&q) })
		if replaced || n > 0 && at == last {
			continue
		}
		last = at
		doc, err := p.it.ValueAndErr()
		if err != nil {
			return err
		}
		if len(doc) == 0 {
			continue
		}
		if err := p.copyInto(&s, p.it.Key()[len(p.it.Key())-24:]); err != nil {
			return err
		}
	}
	if err := p.it.Error(); err != nil {
		return err
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(f publishedRow) bool { return !f.now.Live })
	return p.putRows(&s, rows)
}

// copyInto puts the document at which the iterator stands into a cluster, under its place and inverted release.
func (p *publication) copyInto(s *layout.Cluster, row []byte) error {
	doc, err := p.it.ValueAndErr()
	if err != nil {
		return err
	}
	p.key = append(s.Key(p.State.Gen, p.key), row...)
	return p.out.Put(p.key, doc, nil)
}

// putRows puts documents of the release, or their absence, into a cluster.
func (p *publication) putRows(s *layout.Cluster, rows []publishedRow) error {
	for i := range rows {
		row := &rows[i]
		p.key = s.Row(p.State.Gen, p.key, &row.SortKey, p.release.Number)
		var fields []byte
		p.value = p.value[:0]
		if row.now.Live {
			p.value, fields = p.document(&row.now, row.item).AppendHeader(p.value), row.item.Fields
		}
		if err := p.out.Put(p.key, p.value, fields); err != nil {
			return err
		}
	}
	return nil
}

// putCluster writes the first row of a cluster.
func (p *publication) putCluster(s *layout.Cluster) error {
	p.key = s.Key(p.State.Gen, p.key)
	return p.out.Put(p.key, s.Last[:], nil)
}
