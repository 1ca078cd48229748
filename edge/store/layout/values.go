package layout

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"svc/replication/record"
)

// Damaged is what reading a malformed row returns. It means a defect or a damaged disk: rebuild the edge.
func Damaged(what string) error { return fmt.Errorf("a stored %s is damaged", what) }

// LogRow is what the store knows of a log: everything that every change moves.
type LogRow struct {
	Gen Generation
	Pos record.Position
	Sum record.StateSum
}

// Append writes the row.
func (r *LogRow) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Gen))
	dst = binary.BigEndian.AppendUint64(dst, r.Pos.Epoch)
	dst = binary.BigEndian.AppendUint64(dst, r.Pos.Seq)
	dst = append(dst, r.Pos.Chain[:]...)
	dst = binary.BigEndian.AppendUint64(dst, r.Sum.Hi)
	return binary.BigEndian.AppendUint64(dst, r.Sum.Lo)
}

// ReadLogRow reads what LogRow.Append wrote.
func ReadLogRow(b []byte) (r LogRow, err error) {
	const chain = len(r.Pos.Chain)
	if len(b) != 24+chain+16 {
		return r, Damaged("position")
	}
	r.Gen = Generation(binary.BigEndian.Uint64(b))
	r.Pos.Epoch = binary.BigEndian.Uint64(b[8:])
	r.Pos.Seq = binary.BigEndian.Uint64(b[16:])
	copy(r.Pos.Chain[:], b[24:])
	r.Sum, _ = record.StateSumFrom(b[24+chain:])
	return r, nil
}

// EntryState is an entry at a release: the value of TableEntry.
type EntryState struct {
	Live     bool
	Document uint32
	Revision [16]byte
	Slug     string
}

// Append writes the state of an entry that is live; that of another one is empty.
func (s *EntryState) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, s.Document)
	dst = append(dst, s.Revision[:]...)
	return append(dst, s.Slug...)
}

// ReadEntryState reads a value of TableEntry.
func ReadEntryState(b []byte) (s EntryState, err error) {
	if len(b) == 0 {
		return s, nil
	}
	if len(b) < 20 {
		return s, Damaged("entry")
	}
	s.Live = true
	s.Document = binary.BigEndian.Uint32(b)
	copy(s.Revision[:], b[4:])
	s.Slug = string(b[20:])
	return s, nil
}

// Document is the value of TableDocument. Its slices are those of the value.
type Document struct {
	Release   uint64 // that published it: of the key
	Revision  [16]byte
	Published int64
	Version   uint32
	Slug      []byte
	Fields    []byte
}

// AppendHeader writes all but the fields, which follow.
func (d *Document) AppendHeader(dst []byte) []byte {
	dst = append(dst, d.Revision[:]...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(d.Published))
	dst = binary.AppendUvarint(dst, uint64(d.Version))
	dst = binary.AppendUvarint(dst, uint64(len(d.Slug)))
	return append(dst, d.Slug...)
}

// ReadDocument reads a value of TableDocument that is not empty.
func ReadDocument(b []byte) (d Document, err error) {
	if len(b) < 26 {
		return d, Damaged("document")
	}
	copy(d.Revision[:], b)
	d.Published = int64(binary.BigEndian.Uint64(b[16:]))
	f := Decoder{Rest: b[24:]}
	d.Version = uint32(f.Uvarint())
	d.Slug = f.Bytes()
	d.Fields = f.Rest
	return d, f.Err("document")
}

// CollectionState is the value of TableCollection.
type CollectionState struct {
	Version           uint32 // 0: the collection was removed, or its schema has not come yet
	Name, Label, Hash string
}

// Append writes the value.
func (s *CollectionState) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.Version))
	for _, text := range []string{s.Name, s.Label, s.Hash} {
		dst = binary.AppendUvarint(dst, uint64(len(text)))
		dst = append(dst, text...)
	}
	return dst
}

func readCollectionState(b []byte) (s CollectionState, err error) {
	f := Decoder{Rest: b}
	s.Version = uint32(f.Uvarint())
	s.Name, s.Label, s.Hash = string(f.Bytes()), string(f.Bytes()), string(f.Bytes())
	return s, f.Err("collection")
}

// LiveDelta is what one release did to a collection: the value of TableLiveDelta. The counters are those after it.
type LiveDelta struct {
	First, Added uint32 // documents first … first+added-1 came in
	Live, Ever   uint32 // entries live, entries that ever were
	Since        uint32 // deltas since the last full set, this one included
	SinceBytes   uint32 // and their size
	Removed      []byte // roaring; empty: none
}

// Append writes the value.
func (d *LiveDelta) Append(dst []byte) []byte {
	for _, n := range []uint32{d.First, d.Added, d.Live, d.Ever, d.Since, d.SinceBytes} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return append(dst, d.Removed...)
}

// ReadLiveDelta reads a value of TableLiveDelta.
func ReadLiveDelta(b []byte) (d LiveDelta, err error) {
	f := Decoder{Rest: b}
	for _, n := range []*uint32{&d.First, &d.Added, &d.Live, &d.Ever, &d.Since, &d.SinceBytes} {
		*n = uint32(f.Uvarint())
	}
	d.Removed = f.Rest
	return d, f.Err("delta")
}

// TextsIndexed is the value of TableTexts. Words and pairs of words are indexed for the documents of many releases at once; what
// later releases published is looked at besides the index.
type TextsIndexed struct {
	Release uint64 // up to this one everything is indexed
	Target  uint64 // up to this one it is being indexed; 0: nothing is
}

// TextSpan is releases behind one, up to another.
type TextSpan struct{ From, To uint64 }

// Append writes the value.
func (t TextsIndexed) Append(dst []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, t.Release), t.Target)
}

// TextsIndexedIn reads how far the words of a collection are indexed.
func TextsIndexedIn(it *pebble.Iterator, g Generation, c uint32) (t TextsIndexed, err error) {
	key := g.Collection(nil, TableTexts, c)
	if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
		return t, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return t, err
	}
	f := Decoder{Rest: value}
	t.Release, t.Target = f.Uvarint(), f.Uvarint()
	return t, f.Err("progress of texts")
}

// Decoder reads lengths and texts one after another.
type Decoder struct {
	Rest []byte
	bad  bool
}

// Uvarint reads a number.
func (f *Decoder) Uvarint() uint64 {
	v, n := binary.Uvarint(f.Rest)
	if n <= 0 {
		f.bad, f.Rest = true, nil
		return 0
	}
	f.Rest = f.Rest[n:]
	return v
}

// Bytes reads a length and as many bytes, which it does not copy.
func (f *Decoder) Bytes() []byte {
	n := f.Uvarint()
	if n > uint64(len(f.Rest)) {
		f.bad, f.Rest = true, nil
		return nil
	}
	out := f.Rest[:n:n]
	f.Rest = f.Rest[n:]
	return out
}

// Err is the error of what was read so far, which says what it was.
func (f *Decoder) Err(what string) error {
	if f.bad {
		return Damaged(what)
	}
	return nil
}

// ReleaseIn reads the number that ends a key of TableLiveDelta, TableLiveSet or TableVersion.
func ReleaseIn(key []byte) uint64 { return binary.BigEndian.Uint64(key[CollectionLen:]) }

// EntryReleaseIn reads the release that ends a key of TableEntry or of TableDocument.
func EntryReleaseIn(key []byte) uint64 { return ^binary.BigEndian.Uint64(key[len(key)-8:]) }

// AppendFirst writes the value of TableFirst.
func AppendFirst(dst []byte, first uint64, n uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(dst, first), n)
}

// MilliTime is the time of so many milliseconds.
func MilliTime(ms uint64) time.Time { return time.UnixMilli(int64(ms)).UTC() }
