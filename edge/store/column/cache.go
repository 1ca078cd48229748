package column

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// Field is what ranks are of. Sources tells apart where the values of a definition come from; without a definition nothing has a value.
type Field struct {
	Generation layout.Generation
	Collection uint32
	Definition uint32
	Sources    string
}

// Config says how much is kept. Tests make every way meet small data.
type Config struct {
	Bytes int64                   // over all collections; what is being used may come on top
	Every int                     // of so many documents one has its value in memory, by which others are found
	Late  func(documents int) int // so many later documents are put in between, before all are read again
}

// DefaultConfig is that of production.
func DefaultConfig(bytes int64) Config {
	return Config{Bytes: bytes, Every: 32, Late: func(documents int) int { return max(1024, documents/128) }}
}

// Cache keeps what was read of the collections that are listed.
type Cache struct {
	cfg Config

	mu     sync.Mutex
	bytes  int64
	recent *list.List // of *kept, what was used last in front
	kept   map[Field]*list.Element
}

// kept is one thing in the cache.
type kept struct {
	field     Field
	bytes     int64
	documents documents
	values    values
}

// values are those of one field, of which more come.
type values struct {
	mu    sync.Mutex
	known atomic.Pointer[Values]
}

// New makes an empty cache.
func New(c Config) *Cache {
	return &Cache{cfg: c, recent: list.New(), kept: map[Field]*list.Element{}}
}

// Documents returns those of a collection: all that a reader has, which are so many, and maybe more.
func (c *Cache) Documents(ctx context.Context, r *snapshot.Reader, collection, count uint32) (*Documents, error) {
	k := c.get(Field{Generation: r.Generation, Collection: collection, Definition: anyDefinition})
	known, err := k.documents.read(ctx, r, collection, count)
	c.weigh(k, k.documents.size())
	return known, err
}

// anyDefinition stands for the documents of a collection.
const anyDefinition = ^uint32(0)

// Values returns the ranks that documents have in a field: those of all that a reader has, which are so many, and maybe more. Sources is
// called where they are read anew.
func (c *Cache) Values(ctx context.Context, r *snapshot.Reader, f Field, d *Documents, count uint32, sources func() ([]Source, error), read ReadKey) (*Values, error) {
	k := c.get(f)
	known := k.values.known.Load()
	if known != nil && known.Ranked() >= count {
		return known, nil
	}
	k.values.mu.Lock()
	defer k.values.mu.Unlock()
	if known = k.values.known.Load(); known != nil && known.Ranked() >= count {
		return known, nil
	}
	var err error
	if known != nil && int(count)-len(known.ranks) <= c.cfg.Late(len(known.ranks)) {
		known, err = known.extend(d, count, read)
	} else {
		var from []Source
		if from, err = sources(); err == nil {
			known, err = load(ctx, r, f, d, count, from, c.cfg.Every, read)
		}
	}
	if err != nil {
		return nil, err
	}
	k.values.known.Store(known)
	c.weigh(k, known.size())
	return known, nil
}

func (v *Values) size() int64 {
	bytes := 8*cap(v.ranks) + 64*len(v.late)
	for _, key := range v.keys {
		bytes += 24 + len(key)
	}
	return int64(bytes)
}

// get returns what is kept of a field, which is new where nothing is.
func (c *Cache) get(f Field) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.kept[f]
	if e == nil {
		e = c.recent.PushFront(&kept{field: f})
		c.kept[f] = e
	} else {
		c.recent.MoveToFront(e)
	}
	return e.Value.(*kept)
}

// weigh notes the size of one thing, and drops what was used least until the rest fits.
func (c *Cache) weigh(k *kept, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.kept[k.field]; e == nil || e.Value != k {
		return // it was dropped meanwhile
	}
	c.bytes += bytes - k.bytes
	k.bytes = bytes
	for last := c.recent.Back(); c.bytes > c.cfg.Bytes && last.Value != k; last = c.recent.Back() {
		dropped := c.recent.Remove(last).(*kept)
		delete(c.kept, dropped.field)
		c.bytes -= dropped.bytes
	}
}
