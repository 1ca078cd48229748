package store

import (
	"github.com/cockroachdb/pebble/v2"
)

// sink takes the rows of one generation: a batch for a change, sorted tables for a load.
type sink interface {
	// put writes a row whose value is head and tail together. It keeps neither.
	put(key, head, tail []byte) error
	// drop deletes a row.
	drop(key []byte) error
	// merge adds an operand to a set of numbers: see NewMerger. It keeps neither.
	merge(key, operand []byte) error
}

// batchSink writes to a batch.
type batchSink struct{ *pebble.Batch }

func (b batchSink) put(key, head, tail []byte) error {
	op := b.SetDeferred(len(key), len(head)+len(tail))
	copy(op.Key, key)
	copy(op.Value[copy(op.Value, head):], tail)
	return op.Finish()
}

func (b batchSink) drop(key []byte) error { return b.Delete(key, nil) }

func (b batchSink) merge(key, operand []byte) error { return b.Merge(key, operand, nil) }
