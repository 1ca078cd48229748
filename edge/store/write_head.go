package store

import (
	"bytes"
	"encoding/binary"
	"slices"
	"svc/edge/store/layout"
)

// headChange is an entry that comes into the default order or leaves it.
type headChange struct {
	layout.Position
	n    uint32
	live bool
}

type headChanges []headChange

// minRun is how many neighbours must leave together for one range tombstone, which readers skip in one step.
const minRun = 16

// write deletes first: a range it deletes may hold the place of an entry that comes in.
func (h headChanges) write(w *writer, a *account) error {
	var gone [][]byte
	for i := range h {
		if !h[i].live {
			gone = append(gone, w.led.Gen.Head(nil, a.number, h[i].Rank, h[i].Entry))
		}
	}
	if err := w.dropHeads(gone); err != nil {
		return err
	}
	for i := range h {
		if h[i].live {
			w.key = w.led.Gen.Head(w.key, a.number, h[i].Rank, h[i].Entry)
			if err := w.putNumber(w.key, h[i].n); err != nil {
				return err
			}
		}
	}
	return nil
}

// putNumber writes a row whose value is an entry's number.
func (w *writer) putNumber(key []byte, n uint32) error {
	var value [4]byte
	binary.BigEndian.PutUint32(value[:], n)
	return w.out.put(key, value[:], nil)
}

// dropHeads deletes keys of the head index or of others, and runs of them that nothing interrupts at once.
func (w *writer) dropHeads(gone [][]byte) error {
	slices.SortFunc(gone, bytes.Compare)
	for len(gone) > 0 {
		n := w.runOf(gone)
		batch, ok := w.out.(batchSink)
		if n >= minRun && ok {
			if err := batch.DeleteRange(gone[0], layout.Successor(bytes.Clone(gone[n-1])), nil); err != nil {
				return err
			}
		} else {
			for _, key := range gone[:n] {
				if err := w.out.drop(key); err != nil {
					return err
				}
			}
		}
		gone = gone[n:]
	}
	return w.it.Error()
}

// runOf returns how many of the keys follow each other in the index without another between them.
func (w *writer) runOf(gone [][]byte) int {
	if len(gone) < minRun {
		return len(gone)
	}
	if !w.it.SeekGE(gone[0]) || !bytes.Equal(w.it.Key(), gone[0]) {
		return 1
	}
	n := 1
	for n < len(gone) && w.it.Next() && bytes.Equal(w.it.Key(), gone[n]) {
		n++
	}
	return n
}
