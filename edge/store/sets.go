package store

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/dgraph-io/ristretto/v2"

	"svc/edge/store/layout"
)

// setCache keeps live sets of pins. Sets in it are shared: nobody changes them.
type setCache struct {
	c *ristretto.Cache[string, *roaring.Bitmap]
}

func newSetCache(bytes int64) (*setCache, error) {
	c, err := ristretto.NewCache(&ristretto.Config[string, *roaring.Bitmap]{
		NumCounters: max(1000, bytes/1024),
		MaxCost:     bytes,
		BufferItems: 64,
	})
	return &setCache{c}, err
}

func (s *setCache) close() { s.c.Close() }

func setKey(g layout.Generation, c uint32, release uint64) string {
	var b [20]byte
	binary.BigEndian.PutUint64(b[:], uint64(g))
	binary.BigEndian.PutUint32(b[8:], c)
	binary.BigEndian.PutUint64(b[12:], release)
	return string(b[:])
}

func (s *setCache) get(key string) (*roaring.Bitmap, bool) { return s.c.Get(key) }

func (s *setCache) put(key string, set *roaring.Bitmap) {
	s.c.Set(key, set, int64(set.GetSizeInBytes())+128)
}
