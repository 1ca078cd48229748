package snapshot

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/dgraph-io/ristretto/v2"

	"svc/edge/store/layout"
)

// SetCache keeps live sets of pins. Sets in it are shared: nobody changes them.
type SetCache struct {
	c *ristretto.Cache[string, *roaring.Bitmap]
}

// NewSetCache keeps sets of about so many bytes.
func NewSetCache(bytes int64) (*SetCache, error) {
	c, err := ristretto.NewCache(&ristretto.Config[string, *roaring.Bitmap]{
		NumCounters: max(1000, bytes/1024),
		MaxCost:     bytes,
		BufferItems: 64,
	})
	return &SetCache{c}, err
}

// Close ends what the cache does in the background.
func (s *SetCache) Close() { s.c.Close() }

// SetKey begins the key of a set that belongs to a collection after a release.
func SetKey(g layout.Generation, c uint32, release uint64) string {
	var b [20]byte
	binary.BigEndian.PutUint64(b[:], uint64(g))
	binary.BigEndian.PutUint32(b[8:], c)
	binary.BigEndian.PutUint64(b[12:], release)
	return string(b[:])
}

// Get returns a set, and false where it is not there, or not any more.
func (s *SetCache) Get(key string) (*roaring.Bitmap, bool) { return s.c.Get(key) }

// Put keeps a set, which nobody may change from then on.
func (s *SetCache) Put(key string, set *roaring.Bitmap) {
	s.c.Set(key, set, int64(set.GetSizeInBytes())+128)
}
