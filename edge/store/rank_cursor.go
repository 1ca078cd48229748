package store

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// rankCursor gives the ranks of entries that are asked for in the order of tableEntry, which is also that of
// tableRank, so it only moves forward. Where a collection has no ranks it costs one seek.
type rankCursor struct {
	it  *pebble.Iterator
	g   generation
	c   uint32
	key []byte
	on  bool // the iterator stands on a rank of the collection
	end bool // there is none further on
}

// of returns an entry's rank, nil where it has none. It is valid until the next call.
func (r *rankCursor) of(e entryID) ([]byte, error) {
	if r.end {
		return nil, nil
	}
	r.key = r.g.entry(r.key, tableRank, r.c, e)
	if !r.on || bytes.Compare(r.it.Key(), r.key) < 0 {
		r.on = r.it.SeekGE(r.key) && bytes.HasPrefix(r.it.Key(), r.key[:collectionLen])
		if r.end = !r.on; r.end {
			return nil, r.it.Error()
		}
	}
	if !bytes.Equal(r.it.Key(), r.key) {
		return nil, nil
	}
	return r.it.ValueAndErr()
}
