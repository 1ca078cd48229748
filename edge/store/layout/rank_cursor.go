package layout

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// RankCursor gives the ranks of entries that are asked for in the order of TableEntry, which is also that of
// TableRank, so it only moves forward. Where a collection has no ranks it costs one seek.
type RankCursor struct {
	it  *pebble.Iterator
	g   Generation
	c   uint32
	key []byte
	on  bool // the iterator stands on a rank of the collection
	end bool // there is none further on
}

// NewRankCursor reads by an iterator that nothing else moves; nil where the collection has no ranks.
func NewRankCursor(it *pebble.Iterator, g Generation, c uint32) RankCursor {
	return RankCursor{it: it, g: g, c: c, end: it == nil}
}

// Rank returns an entry's rank, nil where it has none. It is valid until the next call.
func (r *RankCursor) Rank(e EntryID) ([]byte, error) {
	if r.end {
		return nil, nil
	}
	r.key = r.g.Entry(r.key, TableRank, r.c, e)
	if !r.on || bytes.Compare(r.it.Key(), r.key) < 0 {
		r.on = r.it.SeekGE(r.key) && bytes.HasPrefix(r.it.Key(), r.key[:CollectionLen])
		if r.end = !r.on; r.end {
			return nil, r.it.Error()
		}
	}
	if !bytes.Equal(r.it.Key(), r.key) {
		return nil, nil
	}
	return r.it.ValueAndErr()
}
