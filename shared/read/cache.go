package read

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2"
	"golang.org/x/sync/singleflight"

	"svc/shared/credential"
	"svc/shared/schema"
)

// Cache keeps the bodies of answers, coded as they were sent. An answer is found again by what was asked, and used only while
// everything that it depends on has the version it was made from; so nothing ever has to be removed. Headers are written for
// every answer, and whether the caller may read it is decided before.
type Cache struct {
	answers *ristretto.Cache[[]byte, *answer]
	flights singleflight.Group
	most    int // bytes of one answer
	// Hits and Misses count the answers that were found, and those that had to be made.
	Hits, Misses atomic.Uint64
}

// answer is one body in the cache. It never changes.
type answer struct {
	key       string
	dependsOn []dependency
	body
}

// body is what an answer says, as it is sent.
type body struct {
	hash   string // of the content, which any coding of it shares
	etag   string // the header: of the content in this coding
	tags   string // see tags.go
	coding Coding
	bytes  []byte
}

// dependency is a collection at a version of View.Version.
type dependency struct {
	collection string
	version    uint64
}

// useBatch is how many uses are noted at once: each batch wakes a goroutine, which costs more than what that does.
const useBatch = 1024

// answerBytes is what an answer takes beside its key and body, about.
const answerBytes = 400

// NewCache returns a cache of about so many bytes. The caller closes it.
func NewCache(bytes int64) (*Cache, error) {
	c, err := ristretto.NewCache(&ristretto.Config[[]byte, *answer]{
		NumCounters: max(1000, bytes/200), MaxCost: bytes, BufferItems: useBatch, IgnoreInternalCost: true,
	})
	return &Cache{answers: c, most: int(bytes / 32)}, err
}

// Close ends the cache.
func (c *Cache) Close() { c.answers.Close() }

// Wait returns once every answer that was put is there, or refused.
func (c *Cache) Wait() { c.answers.Wait() }

func (c *Cache) get(key []byte) *answer {
	if a, found := c.answers.Get(key); found && a.key == string(key) {
		return a
	}
	return nil
}

func (c *Cache) put(key []byte, a *answer) {
	if len(a.bytes) <= c.most {
		c.answers.Set(key, a, int64(answerBytes+len(a.key)+len(a.bytes)))
	}
}

// errScan says that making the answer takes a slot, and that none is free.
var errScan = errors.New("the answer may take a scan")

// ended is a context that waits for nothing.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

func (x *exchange) acquireScan(ctx context.Context) error {
	done, err := x.AcquireScan(ctx)
	if err == nil {
		x.scanned = done
	}
	return err
}

// answer makes the answer, or takes it from the cache. Callers who want the same one at the same time wait for the first of them.
func (x *exchange) answer(ctx context.Context) error {
	kept := x.Cache != nil && !x.pin.before && x.undecided == nil
	var key []byte
	if kept {
		key = x.cacheKey(x.resp.key[:0])
		x.resp.key = key
		if x.adopt(x.Cache.get(key)) {
			x.Cache.Hits.Add(1)
			return nil
		}
	}
	switch {
	case x.AcquireScan != nil && x.scanned == nil && x.mayScan() && x.acquireScan(ended) != nil:
		return errScan
	case !kept:
		return x.make(ctx)
	}
	x.Cache.Misses.Add(1)
	first := false
	made, err, _ := x.Cache.flights.Do(string(key), func() (any, error) {
		first = true
		if err := x.make(ctx); err != nil {
			return nil, err
		}
		return x.keep(key), nil
	})
	if first {
		return err
	}
	if a, _ := made.(*answer); x.adopt(a) {
		return nil
	}
	return x.make(ctx)
}

// adopt takes an answer if everything that it depends on is as it was.
func (x *exchange) adopt(a *answer) bool {
	if a == nil {
		return false
	}
	for _, d := range a.dependsOn {
		if x.view.Version(d.collection, x.pin.release) != d.version {
			return false
		}
	}
	for _, d := range a.dependsOn {
		if c, found := x.view.Collection(d.collection); found && c.Schema.Visibility != schema.VisibilityPublic {
			x.private = true
		}
	}
	x.body = a.body
	return true
}

// keep puts the answer that was just made into the cache and returns it; nil where no one can tell when it changes.
func (x *exchange) keep(key []byte) *answer {
	a := &answer{key: string(key), body: x.body}
	for _, name := range append(x.dependsOn, x.collection.Schema.Name) {
		version := x.view.Version(name, x.pin.release)
		if version == 0 {
			return nil
		}
		a.dependsOn = append(a.dependsOn, dependency{name, version})
	}
	a.bytes = bytes.Clone(a.bytes)
	x.Cache.put(key, a)
	return a
}

// cacheKey appends what was asked, and by whom as far as that makes a difference: in what an answer may include. Lengths stand before
// its parts, since some may have any bytes.
func (x *exchange) cacheKey(dst []byte) []byte {
	opens := ""
	if x.query.Include != nil && x.grant != nil && x.grant.Has(credential.ContentRead) {
		opens = "*" + strings.Join(x.grant.Collections, ",")
	}
	b := binary.BigEndian.AppendUint64(append(dst, byte(x.req.Route)), x.pin.release)
	for _, part := range [...]string{string(x.project.ID), x.req.Collection, x.req.Ref, string(x.accepted), opens, x.req.RawQuery} {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return b
}

// make makes the answer from the view.
func (x *exchange) make(ctx context.Context) error {
	if err := x.readSchemaAtPin(ctx); err != nil {
		return err
	}
	if err := x.selectRows(ctx); err != nil {
		return err
	}
	return x.code()
}

// code makes the body from its identity, which is in resp.plain.
func (x *exchange) code() error {
	x.body = body{hash: hash(x.resp.plain), tags: x.tags(), bytes: x.resp.plain}
	err := x.compress()
	x.body.etag = quote(x.body.hash, x.body.coding)
	return err
}

// compress compresses the body where that pays. Where nothing is kept, a caller that has it already needs none.
func (x *exchange) compress() (err error) {
	r := x.resp
	if _, matched := match(x.req.IfNoneMatch, x.body.hash); matched && x.Cache == nil || len(r.plain) < minCoded {
		return nil
	}
	if x.body.coding = x.accepted; x.body.coding == Identity {
		return nil
	}
	if r.isPieced() {
		r.coded, err = x.join(r.coded[:0])
	} else {
		r.coded, err = x.body.coding.compress(r.coded[:0], r.plain)
	}
	x.body.bytes = r.coded
	return err
}
