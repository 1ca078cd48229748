package layout

import "github.com/cockroachdb/pebble/v2"

// Sink takes the rows of one generation: a Batch for a change, sorted tables for a load. It keeps nothing that it is given.
type Sink interface {
	// Put writes a row whose value is head and tail together.
	Put(key, head, tail []byte) error
	// Merge changes the row of a set (Sets).
	Merge(key, change []byte) error
	// Drop deletes a row.
	Drop(key []byte) error
}

// Batch writes to a batch of the database.
type Batch struct{ *pebble.Batch }

func (b Batch) Put(key, head, tail []byte) error {
	op := b.SetDeferred(len(key), len(head)+len(tail))
	copy(op.Key, key)
	copy(op.Value[copy(op.Value, head):], tail)
	return op.Finish()
}

func (b Batch) Merge(key, change []byte) error { return b.Batch.Merge(key, change, nil) }

func (b Batch) Drop(key []byte) error { return b.Delete(key, nil) }
