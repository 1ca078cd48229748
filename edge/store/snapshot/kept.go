package snapshot

import "github.com/dgraph-io/ristretto/v2"

// Kept keeps what was read and does not change for other requests: what is asked for again, up to so many bytes. It is shared, and
// nothing that was put into it is ever changed.
type Kept[V any] struct {
	c    *ristretto.Cache[[]byte, V]
	size func(V) int64
}

// keptOverhead is about what the cache takes for each thing beside it, in bytes.
const keptOverhead = 128

// NewKept keeps things of about so many bytes.
func NewKept[V any](bytes int64, size func(V) int64) (*Kept[V], error) {
	c, err := ristretto.NewCache(&ristretto.Config[[]byte, V]{
		NumCounters: max(1000, bytes/1024),
		MaxCost:     bytes,
		BufferItems: 64,
	})
	return &Kept[V]{c, size}, err
}

// Get returns what was put under a key, which it does not hold on to, and false where it is not there, or not any more.
func (k *Kept[V]) Get(key []byte) (V, bool) { return k.c.Get(key) }

// Put keeps one thing, once the cache has taken it in the background.
func (k *Kept[V]) Put(key []byte, v V) { k.c.Set(key, v, k.size(v)+keptOverhead) }

// Wait returns once the cache has taken what was put into it.
func (k *Kept[V]) Wait() { k.c.Wait() }

// Close ends what the cache does in the background.
func (k *Kept[V]) Close() { k.c.Close() }
