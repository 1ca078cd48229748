package layout

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// Get reads one row; nil where there is none.
func Get(src pebble.Reader, key []byte) ([]byte, error) {
	value, closer, err := src.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	value = append(make([]byte, 0, len(value)+1), value...)
	return value, closer.Close()
}

// Iterate opens an iterator over a generation.
func (g Generation) Iterate(src pebble.Reader) (*pebble.Iterator, error) {
	lower, upper := g.Span()
	return src.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
}

// Drop deletes everything of a generation. Snapshots that still read it keep what they need. The deletion ends before the next
// generation begins: Pebble takes deletions that meet for one, as old as the oldest, and would keep the tables that were written since.
func (g Generation) Drop(batch *pebble.Batch) error {
	lower, _ := g.Span()
	return batch.DeleteRange(lower, g.Start(nil, tableEnd), nil)
}

// JoinClose closes what an operation read or wrote, and adds what goes wrong with that to its error.
func JoinClose(err error, c io.Closer) error {
	if closeErr := c.Close(); closeErr != nil {
		return errors.Join(err, closeErr)
	}
	return err
}
