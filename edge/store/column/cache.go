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
	field Field
	bytes int64
	mu    sync.Mutex   // of who reads more of it
	known atomic.Value // what was read last, which others go on using
}

// New makes an empty cache.
func New(c Config) *Cache {
	return &Cache{cfg: c, recent: list.New(), kept: map[Field]*list.Element{}}
}

// Documents returns those of a collection: all that a reader has, which are so many, and maybe more.
func (c *Cache) Documents(ctx context.Context, r *snapshot.Reader, collection, count uint32) (*Documents, error) {
	f := Field{Generation: r.Generation, Collection: collection, Definition: anyDefinition}
	return grown(c, f, count, func(known *Documents) (*Documents, error) {
		if known == nil || count-known.Count() > max(manyNew, known.Count()/4) {
			return readAll(ctx, r, collection, count)
		}
		return known.extend(r, collection, count)
	})
}

const (
	// anyDefinition stands for the documents of a collection.
	anyDefinition = ^uint32(0)
	// manyNew is from how many new documents on all are read again, rather than these one by one.
	manyNew = 4096
)

// Values returns the ranks that documents have in a field: those of all that a reader has, which are so many, and maybe more. Sources is
// called where all of them are read.
func (c *Cache) Values(ctx context.Context, r *snapshot.Reader, f Field, d *Documents, count uint32, sources func() ([]Source, error), read ReadKey) (*Values, error) {
	return grown(c, f, count, func(known *Values) (*Values, error) {
		if known != nil && int(count)-len(known.ranks) <= c.cfg.Late(len(known.ranks)) {
			return known.extend(d, count, read)
		}
		from, err := sources()
		if err != nil {
			return nil, err
		}
		return load(ctx, r, f, d, count, from, c.cfg.Every, read)
	})
}

// thing is what the cache keeps, of the first so many documents of a collection.
type thing interface {
	*Documents | *Values
	covers() uint32
	size() int64
}

// grown returns what is kept of a field if it covers so many documents, and else what more makes of it.
func grown[T thing](c *Cache, f Field, count uint32, more func(known T) (T, error)) (T, error) {
	k := c.get(f)
	if known, is := k.known.Load().(T); is && known.covers() >= count {
		return known, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	known, is := k.known.Load().(T)
	if is && known.covers() >= count {
		return known, nil
	}
	known, err := more(known)
	if err != nil {
		return nil, err
	}
	k.known.Store(known)
	c.resize(k, known.size())
	return known, nil
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

// resize notes the size of one thing, and drops what was used least until the rest fits.
func (c *Cache) resize(k *kept, bytes int64) {
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
