package snapshot

import (
	"bytes"
	"sync/atomic"

	"svc/edge/store/layout"
)

// clusterCursor is where a list reads documents from clusters.
type clusterCursor struct {
	layout.Cluster
	on      bool
	release uint64
	rest    int          // documents to look for one by one before a cluster is looked for again
	hint    *atomic.Bool // the last list of the collection met clusters
}

// restBetween is how many documents are looked for one by one where there was no cluster.
const restBetween = 3

// Listed is document for lists, which ask in the order of places. Where documents follow each other it only steps;
// where they do not, because the entries were published again and again, it goes on in a cluster if there is one.
func (r *Reader) Listed(c uint32, s *layout.Position, release uint64) (layout.Document, bool, error) {
	if s.Rank != "" {
		return r.Document(c, s.Entry, release)
	}
	p := layout.SortKeyOf(s.Entry)
	it := r.its[documents]
	began := it != nil && it.Valid()
	f := &r.clusters
	if f.on && !f.Holds(&p) || !f.on && !began && f.rest == 0 && f.hint.Load() {
		if err := r.findCluster(c, &p, release); err != nil {
			return layout.Document{}, false, err
		}
	}
	if f.on {
		return r.clustered(&p)
	}
	it, err := r.Iterator(documents)
	if err != nil {
		return layout.Document{}, false, err
	}
	r.key = r.Generation.EntryAt(r.key, layout.TableDocument, c, s.Entry, release)
	if !r.follows(it) {
		if began && f.rest == 0 {
			if err := r.findCluster(c, &p, release); err != nil {
				return layout.Document{}, false, err
			}
			if f.on {
				return r.clustered(&p)
			}
			r.key = r.Generation.EntryAt(r.key, layout.TableDocument, c, s.Entry, release)
		}
		f.rest = max(0, f.rest-1)
		it.SeekGE(r.key)
	}
	return r.documentIn(it)
}

// findCluster looks for the cluster of a place, first for one that begins with it: lists mostly come from the cluster before,
// or from the front.
func (r *Reader) findCluster(c uint32, p *layout.SortKey, release uint64) error {
	it, err := r.Iterator(Clusters)
	if err != nil {
		return err
	}
	s, found, err := layout.ClusterOf(it, r.Generation, c, p, release)
	if err == nil && !found {
		s, found, err = layout.ClusterAt(it, r.Generation, c, p, release)
	}
	f := &r.clusters
	f.Cluster, f.release, f.on, f.rest = s, release, found && s.Holds(p), 0
	if !f.on {
		f.rest = restBetween
	}
	if f.hint.Load() != f.on {
		f.hint.Store(f.on)
	}
	return err
}

// clustered reads a document from the cluster found last. What is not in it was not live.
func (r *Reader) clustered(p *layout.SortKey) (layout.Document, bool, error) {
	it, err := r.Iterator(Clusters)
	if err != nil {
		return layout.Document{}, false, err
	}
	r.key = r.clusters.Row(r.Generation, r.key, p, r.clusters.release)
	if !r.follows(it) {
		it.SeekGE(r.key)
	}
	if !it.Valid() || !bytes.HasPrefix(it.Key(), r.key[:len(r.key)-8]) {
		return layout.Document{}, false, it.Error()
	}
	return layout.DocumentIn(it)
}

// BeginList says that documents are asked for in the order of a list from here on; hint tells whether the last list of the
// collection met clusters.
func (r *Reader) BeginList(hint *atomic.Bool) { r.clusters = clusterCursor{hint: hint} }
