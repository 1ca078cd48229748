package layout

import (
	"encoding/binary"
	"errors"
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
		return appendList(dst, set.ToArray())
	}
	set.RunOptimize()
	many, err := set.ToBytes()
	return append(append(dst, manyNumbers), many...), err
}

// appendList writes the value of a row that has the numbers of a list, which ascend.
func appendList(dst []byte, numbers []uint32) ([]byte, error) {
	if len(numbers) > maxFew {
		return AppendNumbers(dst, roaring.BitmapOf(numbers...))
	}
	dst = append(dst, fewNumbers)
	for _, n := range numbers {
		dst = binary.BigEndian.AppendUint32(dst, n)
	}
	return dst, nil
}

// AddNumbers adds the numbers of a row to a set.
func AddNumbers(set *roaring.Bitmap, v []byte) error {
	if few, ok := FewNumbers(v); ok {
		for ; len(few) > 0; few = few[4:] {
			set.Add(binary.BigEndian.Uint32(few))
		}
		return nil
	}
	into := set
	if !set.IsEmpty() {
		into = roaring.New()
	}
	if len(v) == 0 || v[0] != manyNumbers || into.UnmarshalBinary(v[1:]) != nil {
		return Damaged("set of numbers")
	}
	if into != set {
		set.Or(into)
	}
	return nil
}

// LeastNumberIn returns the least number of the row at which the iterator stands; the greatest there is where it has none.
func LeastNumberIn(it *pebble.Iterator) (uint32, error) {
	v, err := it.ValueAndErr()
	if err != nil {
		return 0, err
	}
	var set roaring.Bitmap
	if err := AddNumbers(&set, v); err != nil || set.IsEmpty() {
		return ^uint32(0), err
	}
	return set.Minimum(), nil
}

// FewNumbers returns the numbers of a row, 4 bytes each, where it has few.
func FewNumbers(v []byte) ([]byte, bool) {
	if len(v)%4 != 1 || v[0] != fewNumbers {
		return nil, false
	}
	return v[1:], true
}

// AppendChange writes an operand, which takes numbers out of a row and then others in. Both lists ascend.
func AppendChange(dst []byte, came, went []uint32) ([]byte, error) {
	if len(went) == 0 {
		return appendList(dst, came)
	}
	return appendChange(dst, came, went, appendList)
}

func appendChange[S any](dst []byte, came, went S, write func([]byte, S) ([]byte, error)) ([]byte, error) {
	start := len(dst) + 5
	dst, err := write(append(dst, aChange, 0, 0, 0, 0), came)
	if err != nil {
		return dst, err
	}
	binary.BigEndian.PutUint32(dst[start-4:], uint32(len(dst)-start))
	return write(dst, went)
}

// cutChange returns the numbers that an operand takes in, and those that it takes out: nil for a row, which takes none out.
func cutChange(v []byte) (came, went []byte, err error) {
	if len(v) == 0 || v[0] != aChange {
		return v, nil, nil
	}
	if len(v) < 5 || uint64(len(v)-5) <= uint64(binary.BigEndian.Uint32(v[1:])) {
		return nil, nil, Damaged("set of numbers")
	}
	middle := 5 + binary.BigEndian.Uint32(v[1:])
	return v[5:middle], v[middle:], nil
}

// Sets is how Pebble merges the rows of sets. Its name is part of the database.
var Sets = &pebble.Merger{
	Name: "svc.sets",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := &merged{}
		return m, m.MergeOlder(value)
	},
}

// merged are operands that became one, and in the end a row. Most operands have a number or two, which need no set of their own.
type merged struct{ came, went roaring.Bitmap }

// MergeNewer implements pebble.ValueMerger.
func (m *merged) MergeNewer(value []byte) error {
	came, went, err := cutChange(value)
	if err != nil {
		return err
	}
	if went != nil {
		if err := errors.Join(removeNumbers(&m.came, went), AddNumbers(&m.went, went)); err != nil {
			return err
		}
	}
	return AddNumbers(&m.came, came)
}

// MergeOlder implements pebble.ValueMerger.
func (m *merged) MergeOlder(value []byte) error {
	came, went, err := cutChange(value)
	if err != nil {
		return err
	}
	if err := m.addOlder(came); err != nil || went == nil {
		return err
	}
	return AddNumbers(&m.went, went)
}

// addOlder adds the numbers that an older operand takes in, but for those that a newer one takes out.
func (m *merged) addOlder(v []byte) error {
	if m.went.IsEmpty() {
		return AddNumbers(&m.came, v)
	}
	var older roaring.Bitmap
	err := AddNumbers(&older, v)
	older.AndNot(&m.went)
	m.came.Or(&older)
	return err
}

// removeNumbers takes the numbers of a row out of a set.
func removeNumbers(set *roaring.Bitmap, v []byte) error {
	var less roaring.Bitmap
	err := AddNumbers(&less, v)
	set.AndNot(&less)
	return err
}

// Finish implements pebble.ValueMerger. A row that has no numbers any more stays: Pebble 2.1 can panic in a compaction where a merger
// lets one go (DeletableValueMerger).
func (m *merged) Finish(includesBase bool) (value []byte, _ io.Closer, err error) {
	if includesBase || m.went.IsEmpty() {
		value, err = AppendNumbers(nil, &m.came)
	} else {
		value, err = appendChange(nil, &m.came, &m.went, AppendNumbers)
	}
	return value, nil, err
}
