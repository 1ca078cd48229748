package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// gather makes a page of a pin from its live set: it looks at every document of the set and keeps the first ones in
// order. The cost is that of the set, whatever happened since.
func (l *listing) gather(ctx context.Context, t lastChange) error {
	select {
	case l.s.scans <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	hits, err := l.choose(ctx, t)
	<-l.s.scans
	if err != nil {
		return err
	}
	for i := range hits {
		if l.more = l.full(); l.more {
			break
		}
		if err := l.take(&hits[i], t.release); err != nil {
			return err
		}
	}
	return nil
}

// choose returns the first entries of a live set behind l.after, and one more than the page takes.
func (l *listing) choose(ctx context.Context, t lastChange) ([]layout.Position, error) {
	set, err := l.s.liveSet(l.r, l.c, t.release)
	if err != nil {
		return nil, err
	}
	ranks, err := l.r.allRanks(l.c)
	if err != nil {
		return nil, err
	}
	it, err := l.r.iterator(walking)
	if err != nil {
		return nil, err
	}
	chosen := selection{hits: l.r.hits[:0], want: l.limit + 1}
	key := l.r.key
	prefix := l.meta.gen.Collection(nil, layout.TableDocumentNumber, l.c)
	placed := false
	documents := set.Iterator()
	for n := 0; documents.HasNext(); n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := documents.Next()
		key = binary.BigEndian.AppendUint32(append(key[:0], prefix...), d)
		if placed = placed && it.Next() && bytes.Equal(it.Key(), key); !placed {
			if placed = it.SeekGE(key) && bytes.Equal(it.Key(), key); !placed {
				return nil, errors.Join(it.Error(), layout.Damaged("document number"))
			}
		}
		h, err := numberedHit(it)
		if err != nil {
			return nil, err
		}
		h.Rank = ranks[h.Entry]
		if l.after == nil || l.after.Compare(&h) < 0 {
			chosen.offer(h)
		}
	}
	l.r.key, l.r.hits = key, chosen.hits
	return chosen.sorted(), it.Error()
}

// allRanks returns the rank of every arranged entry of a collection; nil where there is none.
func (r *reader) allRanks(c uint32) (map[layout.EntryID]string, error) {
	it, err := r.iterator(walking)
	if err != nil {
		return nil, err
	}
	var ranks map[layout.EntryID]string
	start := r.gen.Collection(nil, layout.TableRank, c)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		rank, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		if ranks == nil {
			ranks = map[layout.EntryID]string{}
		}
		ranks[layout.EntryIn(it.Key()[layout.CollectionLen:])] = string(rank)
	}
	return ranks, it.Error()
}

// numberedHit reads the row of TableDocumentNumber at which the iterator stands.
func numberedHit(it *pebble.Iterator) (h layout.Position, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return h, err
	}
	if len(value) != 24 {
		return h, layout.Damaged("document number")
	}
	copy(h.Entry[:], value)
	return h, nil
}
