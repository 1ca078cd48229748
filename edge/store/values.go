package store

import (
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/replication/record"
)

// damaged is what reading a malformed row returns. It means a defect or a damaged disk: rebuild the edge.
func damaged(what string) error { return fmt.Errorf("a stored %s is damaged", what) }

// logRow is what the store knows of a log: everything that every change moves.
type logRow struct {
	gen generation
	pos record.Position
	sum record.StateSum
}

func (r *logRow) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.gen))
	dst = binary.BigEndian.AppendUint64(dst, r.pos.Epoch)
	dst = binary.BigEndian.AppendUint64(dst, r.pos.Seq)
	dst = append(dst, r.pos.Chain[:]...)
	dst = binary.BigEndian.AppendUint64(dst, r.sum.Hi)
	return binary.BigEndian.AppendUint64(dst, r.sum.Lo)
}

func readLogRow(b []byte) (r logRow, err error) {
	const chain = len(r.pos.Chain)
	if len(b) != 24+chain+16 {
		return r, damaged("position")
	}
	r.gen = generation(binary.BigEndian.Uint64(b))
	r.pos.Epoch = binary.BigEndian.Uint64(b[8:])
	r.pos.Seq = binary.BigEndian.Uint64(b[16:])
	copy(r.pos.Chain[:], b[24:])
	r.sum, _ = record.StateSumFrom(b[24+chain:])
	return r, nil
}

// state is an entry at a release: the value of tableEntry.
type state struct {
	live     bool
	document uint32
	revision [16]byte
	slug     string
}

func (s *state) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, s.document)
	dst = append(dst, s.revision[:]...)
	return append(dst, s.slug...)
}

func readState(b []byte) (s state, err error) {
	if len(b) == 0 {
		return s, nil
	}
	if len(b) < 20 {
		return s, damaged("entry")
	}
	s.live = true
	s.document = binary.BigEndian.Uint32(b)
	copy(s.revision[:], b[4:])
	s.slug = string(b[20:])
	return s, nil
}

// document is the value of tableDocument. Its slices are those of the value.
type document struct {
	revision  [16]byte
	published int64
	version   uint32
	slug      []byte
	fields    []byte
}

// appendHeader writes all but the fields, which follow.
func (d *document) appendHeader(dst []byte) []byte {
	dst = append(dst, d.revision[:]...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(d.published))
	dst = binary.AppendUvarint(dst, uint64(d.version))
	dst = binary.AppendUvarint(dst, uint64(len(d.slug)))
	return append(dst, d.slug...)
}

func readDocument(b []byte) (d document, err error) {
	if len(b) < 26 {
		return d, damaged("document")
	}
	copy(d.revision[:], b)
	d.published = int64(binary.BigEndian.Uint64(b[16:]))
	f := fields{b: b[24:]}
	d.version = uint32(f.number())
	d.slug = f.bytes()
	d.fields = f.b
	return d, f.err("document")
}

// collectionState is the value of tableCollection.
type collectionState struct {
	version           uint32 // 0: the collection was removed, or its schema has not come yet
	name, label, hash string
}

func (s *collectionState) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.version))
	for _, text := range []string{s.name, s.label, s.hash} {
		dst = binary.AppendUvarint(dst, uint64(len(text)))
		dst = append(dst, text...)
	}
	return dst
}

func readCollectionState(b []byte) (s collectionState, err error) {
	f := fields{b: b}
	s.version = uint32(f.number())
	s.name, s.label, s.hash = string(f.bytes()), string(f.bytes()), string(f.bytes())
	return s, f.err("collection")
}

// delta is what one release did to a collection: the value of tableDelta. The counters are those after it.
type delta struct {
	first, added uint32  // documents first … first+added-1 came in
	live, ever   uint32  // entries live, entries that ever were
	since        uint32  // deltas since the last full set, this one included
	sinceBytes   uint32  // and their size
	greatest     entryID // of all entries that ever were
	removed      []byte  // roaring; empty: none
}

func (d *delta) append(dst []byte) []byte {
	for _, n := range []uint32{d.first, d.added, d.live, d.ever, d.since, d.sinceBytes} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = append(dst, d.greatest[:]...)
	return append(dst, d.removed...)
}

func readDelta(b []byte) (d delta, err error) {
	f := fields{b: b}
	for _, n := range []*uint32{&d.first, &d.added, &d.live, &d.ever, &d.since, &d.sinceBytes} {
		*n = uint32(f.number())
	}
	if len(f.b) < len(d.greatest) {
		return d, damaged("delta")
	}
	d.removed = f.b[copy(d.greatest[:], f.b):]
	return d, f.err("delta")
}

// fields reads lengths and texts one after another.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) number() uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *fields) bytes() []byte {
	n := f.number()
	if n > uint64(len(f.b)) {
		f.bad, f.b = true, nil
		return nil
	}
	out := f.b[:n:n]
	f.b = f.b[n:]
	return out
}

func (f *fields) err(what string) error {
	if f.bad {
		return damaged(what)
	}
	return nil
}

// takerIn reads the row of tableTaker at which the iterator stands.
func takerIn(it *pebble.Iterator) (e entryID, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return e, err
	}
	if len(value) != len(e) {
		return e, damaged("slug")
	}
	copy(e[:], value)
	return e, nil
}

// numberIn reads the number that ends a key of tableDelta, tableFull or tableVersion.
func numberIn(key []byte) uint64 { return binary.BigEndian.Uint64(key[collectionLen:]) }
