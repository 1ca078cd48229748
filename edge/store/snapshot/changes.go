package snapshot

import (
	"bytes"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// Memo remembers what was read at pins. Frontends read few at a time, so one that is full is emptied.
type Memo[K comparable, V any] struct {
	mu sync.Mutex
	of map[K]V
}

const maxMemo = 64

// Get returns what was remembered; false where nothing was.
func (m *Memo[K, V]) Get(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.of[key]
	return v, ok
}

// Put remembers one thing more.
func (m *Memo[K, V]) Put(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= maxMemo {
		m.of = map[K]V{}
	}
	m.of[key] = v
}

// Pin is a collection at a release.
type Pin struct {
	Collection uint32
	Release    uint64
}

// Changes remembers of one moment what changed collections last, and how they are arranged.
type Changes struct {
	memo     Memo[Pin, LastChange]
	arranged Memo[uint32, *Arrangement]
}

// Last returns what changed a collection last by a release. A look that fails is not remembered.
func (c *Changes) Last(r *Reader, collection uint32, pin uint64) (LastChange, error) {
	at := Pin{collection, pin}
	if t, known := c.memo.Get(at); known {
		return t, nil
	}
	t, err := r.lastChange(collection, pin)
	if err == nil {
		c.memo.Put(at, t)
	}
	return t, err
}

// LastChange is the newest release at or before a pin that changed a collection.
type LastChange struct {
	Release    uint64 // 0: none did
	Live, Ever uint32 // entries live after it, entries that had been by then
	Documents  uint32 // that there were by then
	Later      bool   // another release changed the collection since
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
	t = LastChange{Release: layout.ReleaseIn(it.Key()), Live: d.Live, Ever: d.Ever, Documents: d.First + d.Added}
	t.Later = it.Next() && bytes.HasPrefix(it.Key(), prefix)
	return t, it.Error()
}

// DocumentsSince returns how many documents came to a collection after a release. It moves the iterator.
func DocumentsSince(it *pebble.Iterator, g layout.Generation, c uint32, release uint64) (uint32, error) {
	var documents [2]uint32
	for i, end := range [][]byte{g.CollectionEnd(nil, layout.TableLiveDelta, c), g.CollectionRelease(nil, layout.TableLiveDelta, c, release+1)} {
		if !it.SeekLT(end) || !bytes.HasPrefix(it.Key(), g.Collection(nil, layout.TableLiveDelta, c)) {
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return 0, err
		}
		d, err := layout.ReadLiveDelta(value)
		if err != nil {
			return 0, err
		}
		documents[i] = d.First + d.Added
	}
	return documents[0] - documents[1], it.Error()
}
