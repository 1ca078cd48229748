package store

import (
	"svc/edge/store/layout"
)

// headChange is an entry that comes into the default order or leaves it.
type headChange struct {
	layout.Position
	n    uint32
	live bool
}

type headChanges []headChange

// write deletes first: a range it deletes may hold the place of an entry that comes in.
func (h headChanges) write(w *writer, a *account) error {
	var gone [][]byte
	for i := range h {
		if !h[i].live {
			gone = append(gone, w.led.Gen.Head(nil, a.number, h[i].Rank, h[i].Entry))
		}
	}
	if err := layout.DropKeys(w.out, w.it, gone); err != nil {
		return err
	}
	for i := range h {
		if h[i].live {
			w.key = w.led.Gen.Head(w.key, a.number, h[i].Rank, h[i].Entry)
			if err := layout.PutEntryNumber(w.out, w.key, h[i].n); err != nil {
				return err
			}
		}
	}
	return nil
}
