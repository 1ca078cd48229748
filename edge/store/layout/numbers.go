package layout

import (
	"encoding/binary"
	"io"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"
)

// A set of the numbers of entries or documents is stored in rows, one for each chunk of the numbers that it has some of; none is
// longer than 8 KiB. A release writes what it changes in a row as an operand, without reading the row: Pebble merges operands with
// what is stored before, for readers and in compactions (Sets).

// Chunking says in how many low bits the numbers of one row differ. Databases have DefaultChunking; tests cut small numbers
// into many rows.
type Chunking uint

// DefaultChunking is the chunking of databases.
const DefaultChunking Chunking = 16

// Append ends the key of a set with the chunk of a number.
func (c Chunking) Append(key []byte, n uint32) []byte {
	return binary.BigEndian.AppendUint16(key, uint16(n>>c))
}

// Cut splits numbers, which ascend, behind those that are in the chunk of n.
func (c Chunking) Cut(numbers []uint32, n uint32) (in, behind []uint32) {
	end := 0
	for end < len(numbers) && numbers[end]>>c == n>>c {
		end++
	}
	return numbers[:end], numbers[end:]
}

// ChunkLen is the length of what Chunking.Append appends.
const ChunkLen = 2

// The forms in which numbers are stored: the first byte of a row's value.
const (
	fewNumbers  = byte(0) // each in 4 bytes
	manyNumbers = byte(1) // roaring
	aChange     = byte(2) // an operand that takes numbers out: the length, in 4 bytes, of those that come; those; those that go

	maxFew = 8
)

// AppendNumbers writes the value of a row.
func AppendNumbers(dst []byte, set *roaring.Bitmap) ([]byte, error) {
	if set.GetCardinality() <= maxFew {
		dst = append(dst, fewNumbers)
		for it := set.Iterator(); it.HasNext(); {
			dst = binary.BigEndian.AppendUint32(dst, it.Next())
		}
		return dst, nil
	}
	set.RunOptimize()
	many, err := set.ToBytes()
	return append(append(dst, manyNumbers), many...), err
}

// AddNumbers adds the numbers of a row to a set.
func AddNumbers(set *roaring.Bitmap, v []byte) error {
	if few, ok := FewNumbers(v); ok {
		for ; len(few) > 0; few = few[4:] {
			set.Add(binary.BigEndian.Uint32(few))
		}
		return nil
	}
	var more roaring.Bitmap
	if len(v) == 0 || v[0] != manyNumbers || more.UnmarshalBinary(v[1:]) != nil {
		return Damaged("set of numbers")
	}
	set.Or(&more)
	return nil
}

// FewNumbers returns the numbers of a row, 4 bytes each, where it has few.
func FewNumbers(v []byte) ([]byte, bool) {
	if len(v)%4 != 1 || v[0] != fewNumbers {
		return nil, false
	}
	return v[1:], true
}

// AppendChange writes an operand, which takes numbers out of a row and then others in.
func AppendChange(dst []byte, came, went *roaring.Bitmap) ([]byte, error) {
	if went.IsEmpty() {
		return AppendNumbers(dst, came)
	}
	start := len(dst) + 5
	dst, err := AppendNumbers(append(dst, aChange, 0, 0, 0, 0), came)
	if err != nil {
		return dst, err
	}
	binary.BigEndian.PutUint32(dst[start-4:], uint32(len(dst)-start))
	return AppendNumbers(dst, went)
}

// addChange adds the numbers of an operand to those that come and go; a row is one that takes none out.
func addChange(came, went *roaring.Bitmap, v []byte) error {
	if len(v) == 0 || v[0] != aChange {
		return AddNumbers(came, v)
	}
	if len(v) < 5 || uint64(len(v)-5) < uint64(binary.BigEndian.Uint32(v[1:])) {
		return Damaged("set of numbers")
	}
	middle := 5 + binary.BigEndian.Uint32(v[1:])
	if err := AddNumbers(came, v[5:middle]); err != nil {
		return err
	}
	return AddNumbers(went, v[middle:])
}

// Sets is how Pebble merges the rows of sets. Its name is part of the database.
var Sets = &pebble.Merger{
	Name: "svc.sets",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := &merged{}
		return m, addChange(&m.came, &m.went, value)
	},
}

// merged are operands that became one, and in the end a row.
type merged struct{ came, went roaring.Bitmap }

// MergeNewer implements pebble.ValueMerger.
func (m *merged) MergeNewer(value []byte) error {
	var came, went roaring.Bitmap
	err := addChange(&came, &went, value)
	m.came.AndNot(&went)
	m.came.Or(&came)
	m.went.Or(&went)
	return err
}

// MergeOlder implements pebble.ValueMerger.
func (m *merged) MergeOlder(value []byte) error {
	var came, went roaring.Bitmap
	err := addChange(&came, &went, value)
	came.AndNot(&m.went)
	m.came.Or(&came)
	m.went.Or(&went)
	return err
}

// Finish implements pebble.ValueMerger. A row that has no numbers any more stays: Pebble 2.1 can panic in a compaction where a merger
// lets one go (DeletableValueMerger).
func (m *merged) Finish(includesBase bool) ([]byte, io.Closer, error) {
	if includesBase {
		m.went.Clear()
	}
	value, err := AppendChange(nil, &m.came, &m.went)
	return value, nil, err
}
