package layout

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
)

// Cluster is a copy of the documents of neighbouring entries, stored so that a list at any release from its beginning on
// reads them one after the other: whatever was published once more leaves its documents scattered among its own former
// ones in TableDocument, and a list would have to look for each. A cluster begins with what was live, takes every
// document that comes after, and is followed by another one of the same range once as much has come. So of the rows
// that a list passes at a release at least about half belong to it.
//
// Only ranges in which something was published a third time have clusters. They do not overlap at any release, and what
// has none is read from TableDocument.
type Cluster struct {
	Collection  uint32
	First, Last SortKey // the range; its next cluster may end earlier
	From        uint64  // the release it begins with; 0: it tells all from the beginning
}

// SortKey is an entry's id inverted, as keys hold it: places rise in the order of lists.
type SortKey [16]byte

// SortKeyOf inverts an id.
func SortKeyOf(e EntryID) (p SortKey) {
	for i := range e {
		p[i] = ^e[i]
	}
	return p
}

// Compare orders places.
func (p *SortKey) Compare(q *SortKey) int { return bytes.Compare(p[:], q[:]) }

// Holds reports whether a place lies in the range.
func (s *Cluster) Holds(p *SortKey) bool { return s.First.Compare(p) <= 0 && p.Compare(&s.Last) <= 0 }

const (
	clusterPrefixLen = CollectionLen + 16 + 8    // collection, first place, release: the whole key of its first row
	clusterRowLen    = clusterPrefixLen + 16 + 8 // and place and release of a document
	clusterPlace     = clusterPrefixLen          // where they lie in the key
	clusterRelease   = clusterRowLen - 8         //
	clusterRange     = CollectionLen             // where its first place lies
	clusterFrom      = CollectionLen + 16        // and its release
)

// Key is that of the first row of a cluster; its value is the last place.
func (s *Cluster) Key(g Generation, dst []byte) []byte {
	return appendInvertedNumber(g.SortKey(dst, TableCluster, s.Collection, &s.First), s.From)
}

// Row is the key of a document in a cluster, or where to look for the newest at or before a release.
func (s *Cluster) Row(g Generation, dst []byte, p *SortKey, release uint64) []byte {
	return appendInvertedNumber(append(s.Key(g, dst), p[:]...), release)
}

// ClusterAt finds the cluster in force at a release of the range that begins at or before a place; false where there is
// none. The place may lie behind its end.
func ClusterAt(it *pebble.Iterator, g Generation, c uint32, p *SortKey, release uint64) (s Cluster, found bool, err error) {
	key := g.SortKey(make([]byte, 0, clusterRowLen+1), TableCluster, c, p)
	for len(key) <= clusterRowLen {
		key = append(key, 0xff)
	}
	if !it.SeekLT(key) || !bytes.HasPrefix(it.Key(), key[:CollectionLen]) {
		return s, false, it.Error()
	}
	s.First = ClusterStart(it.Key())
	return ClusterOf(it, g, c, &s.First, release)
}

// ClusterOf finds the cluster in force at a release of the range that begins at a place; false where there is none.
func ClusterOf(it *pebble.Iterator, g Generation, c uint32, first *SortKey, release uint64) (s Cluster, found bool, err error) {
	s = Cluster{Collection: c, First: *first, From: release}
	key := s.Key(g, make([]byte, 0, clusterPrefixLen))
	if !it.SeekGE(key) || !bytes.HasPrefix(it.Key(), key[:clusterFrom]) {
		return s, false, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return s, false, err
	}
	if len(it.Key()) != clusterPrefixLen || len(value) != len(s.Last) {
		return s, false, Damaged("cluster")
	}
	s.From = ^binary.BigEndian.Uint64(it.Key()[clusterFrom:])
	copy(s.Last[:], value)
	return s, true, nil
}

// ClusterStart reads the first place of the cluster that a key belongs to.
func ClusterStart(key []byte) SortKey { return SortKey(key[clusterRange : clusterRange+16]) }

// RowAt reads place and release of the row of a cluster at which the iterator stands; false where it stands at none.
func (s *Cluster) RowAt(it *pebble.Iterator, prefix []byte) (p SortKey, release uint64, ok bool) {
	if !it.Valid() || len(it.Key()) != clusterRowLen || !bytes.HasPrefix(it.Key(), prefix) {
		return p, 0, false
	}
	copy(p[:], it.Key()[clusterPlace:])
	return p, ^binary.BigEndian.Uint64(it.Key()[clusterRelease:]), true
}
