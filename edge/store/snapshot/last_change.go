package snapshot

import (
	"bytes"

	"svc/edge/store/layout"
)

// LastChange is the newest release at or before a pin that changed a collection.
type LastChange struct {
	Release    uint64 // 0: none did
	Live, Ever uint32 // entries live after it, entries that had been by then
	Documents  uint32 // that there were by then
	Greatest   layout.EntryID
	Later      bool // another release changed the collection since
}

func (r *Reader) lastChange(c uint32, pin uint64) (t LastChange, err error) {
	it, err := r.Iterator(Primary)
	if err != nil {
		return t, err
	}
	prefix := r.Generation.Collection(nil, layout.TableLiveDelta, c)
	if !it.SeekLT(r.Generation.CollectionRelease(nil, layout.TableLiveDelta, c, pin+1)) || !bytes.HasPrefix(it.Key(), prefix) {
		return t, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return t, err
	}
	d, err := layout.ReadLiveDelta(value)
	if err != nil {
		return t, err
	}
	t = LastChange{Release: layout.ReleaseIn(it.Key()), Live: d.Live, Ever: d.Ever, Documents: d.First + d.Added, Greatest: d.Greatest}
	t.Later = it.Next() && bytes.HasPrefix(it.Key(), prefix)
	return t, it.Error()
}
