package snapshot

import (
	"bytes"
	"encoding/binary"

	"svc/edge/store/layout"
)

// DocumentOf reads a document by its number.
func (r *Reader) DocumentOf(c, n uint32) (e layout.EntryID, d layout.Document, err error) {
	e, release, err := r.EntryOf(c, n)
	if err != nil {
		return e, d, err
	}
	d, live, err := r.Document(c, e, release)
	if err == nil && !live {
		err = layout.Damaged("index: a number in it belongs to nothing")
	}
	return e, d, err
}

// EntryOf returns the entry of a document, with the release that published it.
func (r *Reader) EntryOf(c, document uint32) (e layout.EntryID, release uint64, err error) {
	r.key = r.Generation.CollectionNumber(r.key, layout.TableDocumentNumber, c, document)
	it, err := r.seek(Numbers)
	if err != nil {
		return e, 0, err
	}
	if !it.Valid() || !bytes.Equal(it.Key(), r.key) {
		if err := it.Error(); err != nil {
			return e, 0, err
		}
		return e, 0, layout.Damaged("index: a number in it belongs to nothing")
	}
	v, err := it.ValueAndErr()
	if err != nil {
		return e, 0, err
	}
	if len(v) != 24 {
		return e, 0, layout.Damaged("number")
	}
	return layout.EntryID(v[:16]), binary.BigEndian.Uint64(v[16:]), nil
}

// EntryNumber returns the number of an entry.
func (r *Reader) EntryNumber(c uint32, e layout.EntryID) (uint32, error) {
	it, err := r.Iterator(Secondary)
	if err != nil {
		return 0, err
	}
	return layout.NumberOf(it, r.Generation, c, e)
}

// FindNumber returns the number of an entry; false where it was never published.
func (r *Reader) FindNumber(c uint32, e layout.EntryID) (n uint32, published bool, err error) {
	it, err := r.Iterator(Secondary)
	if err != nil {
		return 0, false, err
	}
	return layout.FindNumber(it, r.Generation, c, e)
}

// AllRanks returns the rank of every arranged entry of a collection; nil where there is none.
func (r *Reader) AllRanks(c uint32) (map[layout.EntryID]string, error) {
	it, err := r.Iterator(Primary)
	if err != nil {
		return nil, err
	}
	var ranks map[layout.EntryID]string
	start := r.Generation.Collection(nil, layout.TableRank, c)
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
