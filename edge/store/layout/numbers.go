package layout

import (
	"encoding/binary"
	"io"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"
)

// A set of the numbers of entries or documents is stored in rows, one for each chunk of the numbers that it has some of; none is
// longer than 8 KiB. A release that only adds numbers to a row adds them as an operand, without reading the row: Pebble unites
// operands with what is stored before, for readers and in compactions (Union).

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

// Union is how Pebble merges the rows of sets. Its name is part of the database.
var Union = &pebble.Merger{
	Name: "svc.union",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		u := &union{}
		return u, u.MergeNewer(value)
	},
}

// union is a row in the making. In which order operands come makes no difference.
type union struct{ set roaring.Bitmap }

func (u *union) MergeNewer(value []byte) error { return AddNumbers(&u.set, value) }

func (u *union) MergeOlder(value []byte) error { return AddNumbers(&u.set, value) }

func (u *union) Finish(bool) ([]byte, io.Closer, error) {
	value, err := AppendNumbers(nil, &u.set)
	return value, nil, err
}
