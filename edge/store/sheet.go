package store

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
)

// sheet is a copy of the documents of neighbouring entries, filed so that a list at any release from its beginning on
// reads them one after the other: whatever was published once more leaves its documents scattered among its own former
// ones in tableDocument, and a list would have to look for each. A sheet begins with what was live, takes every
// document that comes after, and is followed by another one of the same range once as much has come. So of the rows
// that a list passes at a release at least about half belong to it.
//
// Only ranges in which something was published a third time have sheets. They do not overlap at any release, and what
// has none is read from tableDocument.
type sheet struct {
	c           uint32
	first, last sortKey // the range; its next sheet may end earlier
	from        uint64  // the release it begins with; 0: it tells all from the beginning
}

// sortKey is an entry's id inverted, as keys hold it: places rise in the order of lists.
type sortKey [16]byte

func sortKeyOf(e entryID) (p sortKey) {
	for i := range e {
		p[i] = ^e[i]
	}
	return p
}

func (p *sortKey) compare(q *sortKey) int { return bytes.Compare(p[:], q[:]) }

func (s *sheet) holds(p *sortKey) bool { return s.first.compare(p) <= 0 && p.compare(&s.last) <= 0 }

const (
	sheetPrefixLen = collectionLen + 16 + 8  // collection, first place, release: the whole key of its first row
	sheetRowLen    = sheetPrefixLen + 16 + 8 // and place and release of a document
	sheetPlace     = sheetPrefixLen          // where they lie in the key
	sheetRelease   = sheetRowLen - 8         //
	sheetRange     = collectionLen           // where its first place lies
	sheetFrom      = collectionLen + 16      // and its release
	defaultSheet   = 64                      // entries of a new sheet, at most
	sheetGrowth    = 3                       // a range may grow to this many halves of that
	sheetBytes     = 512 << 10               // and about how much a new one takes at most
	sheetHistory   = 4                       // documents of an entry that its first sheet takes, on average
	sheetRepublish = 3                       // an entry's document with this number makes sheets
	maxNewSheets   = 8                       // that one release makes in a collection
	maxKnownSheets = 1024                    // sheets in force that are remembered
)

// key is that of the first row of a sheet; its value is the last place.
func (s *sheet) key(g generation, dst []byte) []byte {
	return appendInvertedNumber(g.place(dst, tableSheet, s.c, &s.first), s.from)
}

// row is the key of a document in a sheet, or where to look for the newest at or before a release.
func (s *sheet) row(g generation, dst []byte, p *sortKey, release uint64) []byte {
	return appendInvertedNumber(append(s.key(g, dst), p[:]...), release)
}

// sheetAt finds the sheet in force at a release of the range that begins at or before a place; false where there is
// none. The place may lie behind its end.
func sheetAt(it *pebble.Iterator, g generation, c uint32, p *sortKey, release uint64) (s sheet, found bool, err error) {
	key := g.place(make([]byte, 0, sheetRowLen+1), tableSheet, c, p)
	for len(key) <= sheetRowLen {
		key = append(key, 0xff)
	}
	if !it.SeekLT(key) || !bytes.HasPrefix(it.Key(), key[:collectionLen]) {
		return s, false, it.Error()
	}
	copy(s.first[:], it.Key()[sheetRange:])
	return sheetOf(it, g, c, &s.first, release)
}

// sheetOf finds the sheet in force at a release of the range that begins at a place; false where there is none.
func sheetOf(it *pebble.Iterator, g generation, c uint32, first *sortKey, release uint64) (s sheet, found bool, err error) {
	s = sheet{c: c, first: *first, from: release}
	key := s.key(g, make([]byte, 0, sheetPrefixLen))
	if !it.SeekGE(key) || !bytes.HasPrefix(it.Key(), key[:sheetFrom]) {
		return s, false, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return s, false, err
	}
	if len(it.Key()) != sheetPrefixLen || len(value) != len(s.last) {
		return s, false, damaged("sheet")
	}
	s.from = ^binary.BigEndian.Uint64(it.Key()[sheetFrom:])
	copy(s.last[:], value)
	return s, true, nil
}

// rowIn reads place and release of the row of a sheet at which the iterator stands; false where it stands at none.
func (s *sheet) rowIn(it *pebble.Iterator, prefix []byte) (p sortKey, release uint64, ok bool) {
	if !it.Valid() || len(it.Key()) != sheetRowLen || !bytes.HasPrefix(it.Key(), prefix) {
		return p, 0, false
	}
	copy(p[:], it.Key()[sheetPlace:])
	return p, ^binary.BigEndian.Uint64(it.Key()[sheetRelease:]), true
}
