package write

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/replication/record/recordpb"
)

const (
	defaultCluster   = 64        // entries of a new cluster, at most
	clusterGrowth    = 3         // a range may grow to this many halves of that
	clusterBytes     = 512 << 10 // and about how much a new one takes at most
	clusterHistory   = 4         // documents of an entry that its first cluster takes, on average
	ClusterRepublish = 3         // an entry's document with this number makes clusters
	maxNewClusters   = 8         // that one release makes in a collection
	maxKnownClusters = 1024      // clusters in force that are remembered
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

// writeClusters gives what a release did to the clusters that have to know it, and begins new ones. What it brought is in the
// order of places.
func (p *publication) writeClusters() error {
	made := 0
	var end *layout.SortKey // of the last cluster before the next entry
	for i := 0; i < len(p.rows); {
		at := &p.rows[i].SortKey
		s, found, err := p.clusterNow(at)
		if err != nil {
			return err
		}
		if found && s.Holds(at) {
			n := i + p.until(i, func(q *layout.SortKey) bool { return q.Compare(&s.Last) > 0 })
			if err := p.extend(s, p.rows[i:n]); err != nil {
				return err
			}
			end, i = &s.Last, n
			continue
		}
		if found && (end == nil || end.Compare(&s.Last) < 0) {
			end = &s.Last
		}
		next, bounded, err := p.nextCluster(at)
		if err != nil {
			return err
		}
		n := i + p.until(i, func(q *layout.SortKey) bool { return bounded && q.Compare(&next) >= 0 })
		gap := gap{after: end, before: &next, bounded: bounded}
		for ; i < n; i++ {
			if made == maxNewClusters || gap.after != nil && p.rows[i].Compare(gap.after) <= 0 {
				continue
			}
			due, err := p.wantsCluster(&p.rows[i])
			if err != nil {
				return err
			}
			if due {
				if err := p.beginCluster(&p.rows[i], &gap); err != nil {
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
func (p *publication) until(i int, stop func(*layout.SortKey) bool) int {
	n := slices.IndexFunc(p.rows[i:], func(f publishedRow) bool { return stop(&f.SortKey) })
	if n < 0 {
		n = len(p.rows) - i
	}
	return n
}

// nextCluster finds where the next range with clusters begins behind a place; false where none does.
func (p *publication) nextCluster(at *layout.SortKey) (first layout.SortKey, found bool, err error) {
	p.key = p.State.Gen.SortKey(p.key, layout.TableCluster, p.a.Number, at)
	prefix := p.key[:layout.CollectionLen]
	p.key = append(p.key, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff) // behind all that begin there
	if !p.it.SeekGE(p.key) || !bytes.HasPrefix(p.it.Key(), prefix) {
		return first, false, p.it.Error()
	}
	return layout.ClusterStart(p.it.Key()), true, nil
}

// extend adds what a release brought to a cluster, or begins the next one of its range.
func (p *publication) extend(s layout.Cluster, rows []publishedRow) error {
	f, known := p.a.clusters.fillOf(&s)
	if !known {
		var err error
		if f, err = p.measure(&s); err != nil {
			return err
		}
	}
	if !f.Room(len(rows)) {
		return p.renewCluster(s, rows)
	}
	for i := range rows {
		if err := p.putInCluster(&s, &rows[i]); err != nil {
			return err
		}
	}
	f.Rows += len(rows)
	p.a.clusters.remember(s, f)
	return nil
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

func (p *publication) putInCluster(s *layout.Cluster, row *publishedRow) error {
	p.key = s.Row(p.State.Gen, p.key, &row.SortKey, p.release.Number)
	if !row.now.Live {
		return p.out.Put(p.key, nil, nil)
	}
	p.value = p.document(&row.now, row.item).AppendHeader(p.value[:0])
	return p.out.Put(p.key, p.value, row.item.Fields)
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

// renewal makes a cluster that begins with the release under way. It is given the newest row that each entry of the range
// had before, in order.
type renewal struct {
	p     *publication
	s     layout.Cluster
	rows  []publishedRow // of this release, those still to come
	count int
	limit int
	full  bool
}

// renewCluster ends a cluster and begins the next one of the range.
func (p *publication) renewCluster(old layout.Cluster, rows []publishedRow) error {
	r := renewal{p: p, s: old, rows: rows, limit: p.options.ClusterSize * clusterGrowth / 2}
	r.s.From = p.release.Number
	prefix := old.Key(p.State.Gen, nil)
	var last layout.SortKey
	for ok, first := p.it.SeekGE(prefix) && p.it.Next(), true; ok; ok, first = p.it.Next(), false {
		at, _, ok := old.RowAt(p.it, prefix)
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
	return r.end(&old.Last)
}

// keep takes the document of an entry at whose newest row the iterator stands.
func (r *renewal) keep(it *pebble.Iterator, at *layout.SortKey) error {
	for len(r.rows) > 0 && r.rows[0].Compare(at) <= 0 {
		row := &r.rows[0]
		r.rows = r.rows[1:]
		if err := r.bring(row); err != nil {
			return err
		}
		if row.SortKey == *at {
			return nil
		}
	}
	doc, err := it.ValueAndErr()
	if err != nil || len(doc) == 0 || !r.takes(at) {
		return err
	}
	r.p.key = append(r.s.Key(r.p.State.Gen, r.p.key), it.Key()[len(it.Key())-24:]...)
	return r.p.out.Put(r.p.key, doc, nil)
}

func (r *renewal) bring(row *publishedRow) error {
	if !row.now.Live || !r.takes(&row.SortKey) {
		return nil
	}
	return r.p.putInCluster(&r.s, row)
}

// takes counts an entry in, and reports whether the cluster is not full: one that would grow too long ends earlier.
func (r *renewal) takes(at *layout.SortKey) bool {
	if r.full = r.full || r.count == r.limit; r.full {
		return false
	}
	r.count++
	r.s.Last = *at
	return true
}

// end brings what is left, and makes the range end where the former one did if all of it found room.
func (r *renewal) end(last *layout.SortKey) error {
	for len(r.rows) > 0 {
		row := &r.rows[0]
		r.rows = r.rows[1:]
		if err := r.bring(row); err != nil {
			return err
		}
	}
	if !r.full {
		r.s.Last = *last
	}
	r.p.a.clusters.remember(r.s, ClusterFill{Rows: r.count, Base: r.count})
	return r.p.begin(&r.s)
}

func (p *publication) begin(s *layout.Cluster) error {
	p.key = s.Key(p.State.Gen, p.key)
	return p.out.Put(p.key, s.Last[:], nil)
}
