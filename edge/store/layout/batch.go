package layout

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// Sink takes the rows of one generation: a Batch for a change, sorted tables for a load. It keeps nothing that it is given.
type Sink interface {
	// Put writes a row whose value is head and tail together.
	Put(key, head, tail []byte) error
	// Drop deletes a row.
	Drop(key []byte) error
	// Merge adds an operand to a set of numbers: see bitmap.NewMerger.
	Merge(key, operand []byte) error
}

// Batch writes to a batch of the database.
type Batch struct{ *pebble.Batch }

func (b Batch) Put(key, head, tail []byte) error {
	op := b.SetDeferred(len(key), len(head)+len(tail))
	copy(op.Key, key)
	copy(op.Value[copy(op.Value, head):], tail)
	return op.Finish()
}

func (b Batch) Drop(key []byte) error { return b.Delete(key, nil) }

func (b Batch) Merge(key, operand []byte) error { return b.Batch.Merge(key, operand, nil) }

// PutEntryNumber writes a row of TableHead or TableOrdered.
func PutEntryNumber(out Sink, key []byte, n uint32) error {
	var value [4]byte
	binary.BigEndian.PutUint32(value[:], n)
	return out.Put(key, value[:], nil)
}

// minRun is how many neighbours must leave together for one range tombstone, which readers skip in one step.
const minRun = 16

// DropKeys deletes keys, which it sorts, and runs of them at once that nothing stored interrupts. Write what comes in
// afterwards: a range that is deleted may hold its place.
func DropKeys(out Sink, stored *pebble.Iterator, keys [][]byte) error {
	slices.SortFunc(keys, bytes.Compare)
	for len(keys) > 0 {
		n := runOf(stored, keys)
		batch, ok := out.(Batch)
		if n >= minRun && ok {
			if err := batch.DeleteRange(keys[0], Successor(bytes.Clone(keys[n-1])), nil); err != nil {
				return err
			}
		} else {
			for _, key := range keys[:n] {
				if err := out.Drop(key); err != nil {
					return err
				}
			}
		}
		keys = keys[n:]
	}
	return stored.Error()
}

// runOf returns how many of the keys follow each other in the database without another between them.
func runOf(stored *pebble.Iterator, keys [][]byte) int {
	if len(keys) < minRun {
		return len(keys)
	}
	if !stored.SeekGE(keys[0]) || !bytes.Equal(stored.Key(), keys[0]) {
		return 1
	}
	n := 1
	for n < len(keys) && stored.Next() && bytes.Equal(stored.Key(), keys[n]) {
		n++
	}
	return n
}
