package write

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
func (h headChanges) write(w *Writer, a *Collection) error {
	var gone [][]byte
	for i := range h {
		if !h[i].live {
			gone = append(gone, w.State.Gen.Head(nil, a.Number, h[i].Rank, h[i].Entry))
		}
	}
	if err := layout.DropKeys(w.out, w.it, gone); err != nil {
		return err
	}
	for i := range h {
		if h[i].live {
			w.key = w.State.Gen.Head(w.key, a.Number, h[i].Rank, h[i].Entry)
			if err := layout.PutEntryNumber(w.out, w.key, h[i].n); err != nil {
				return err
			}
		}
	}
	return nil
}
