package snapshot

import (
	"bytes"

	"svc/edge/store/layout"
)

import "sync"

// Changes remembers what changed collections last. Those of a generation (settled) remember only what stays so: where a later
// release changed the collection too. Those of one moment remember everything.
type Changes struct {
	settled bool
	mu      sync.Mutex
	of      map[changeOf]LastChange
}

type changeOf struct {
	collection uint32
	pin        uint64
}

// maxChanges bounds those remembered of a generation: frontends read few pins at a time.
const maxChanges = 64

// NewChanges remembers nothing yet.
func NewChanges(settled bool) *Changes {
	return &Changes{settled: settled, of: map[changeOf]LastChange{}}
}

// Last returns what changed a collection last by a release. A look that fails is not remembered.
func (c *Changes) Last(r *Reader, collection uint32, pin uint64) (LastChange, error) {
	at := changeOf{collection, pin}
	c.mu.Lock()
	t, known := c.of[at]
	c.mu.Unlock()
	if known {
		return t, nil
	}
	t, err := r.lastChange(collection, pin)
	if err != nil || c.settled && !t.Later {
		return t, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled && len(c.of) >= maxChanges {
		clear(c.of)
	}
	c.of[at] = t
	return t, nil
}

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
