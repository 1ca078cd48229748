package store

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// pebbleOptions tunes Pebble for documents of a few kilobytes, read one by one and in runs of neighbours, and for a small memory. Blocks are
// small: to read a document that is not in memory is to read and decompress its whole block.
func (c *Config) pebbleOptions(cache *pebble.Cache) *pebble.Options {
	o := &pebble.Options{
		Cache:                       cache,
		Comparer:                    pebble.DefaultComparer,
		Merger:                      layout.Sets,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		FS:                          c.fs,
		Logger:                      pebbleLog{c.Logger},
		MemTableSize:                uint64(c.memtableBytes()),
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       6, // three memtables: what they hold lies among all other rows, which are written again with it
		L0StopWritesThreshold:       64,
		LBaseMaxBytes:               256 << 20,
		MaxOpenFiles:                1000,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
		// A deleted generation gives its disk back once its tombstone is flushed.
		FlushDelayDeleteRange: 2 * time.Second,
		WALBytesPerSync:       1 << 20,
		MaxManifestFileSize:   4 << 20,
	}
	for i := range o.Levels {
		o.Levels[i].BlockSize = 4 << 10
		o.Levels[i].IndexBlockSize = 64 << 10
	}
	l, failed := c.Logger, &failures{}
	o.EventListener = &pebble.EventListener{
		BackgroundError: func(err error) {
			if failed.take() {
				l.Error("the store's background work failed", "error", err)
			}
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			l.Error("the store is damaged", "path", info.Path, "error", info.Details)
			c.OnDamage(fmt.Sprintf("%s is damaged: %v", info.Path, info.Details))
		},
		DiskSlow:        func(info pebble.DiskSlowInfo) { l.Warn("the store's disk is slow", "info", info.String()) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) { l.Warn("writes to the store wait", "reason", info.Reason) },
	}
	return o
}

// OpenPlain opens the database "plain" in the directory of a store, with the options and the cache of the store's own. Benchmarks
// compare reads of a store with a Get of the same documents there. The caller closes it.
func (c Config) OpenPlain() (*pebble.DB, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.setDefaults()
	cache := pebble.NewCache(c.cacheBytes())
	defer cache.Unref()
	return pebble.Open(c.fs.PathJoin(c.Dir, "plain"), c.pebbleOptions(cache))
}

// pebbleLog gives what goes wrong in Pebble to slog. What it says of its ordinary work is left out.
type pebbleLog struct{ l *slog.Logger }

func (p pebbleLog) Infof(format string, args ...any) {}

func (p pebbleLog) Errorf(format string, args ...any) {
	p.l.Error("pebble: " + fmt.Sprintf(format, args...))
}

// Fatalf is called when Pebble cannot go on, such as after a failed write to its log; it must not return.
func (p pebbleLog) Fatalf(format string, args ...any) {
	message := "pebble: " + fmt.Sprintf(format, args...)
	p.l.Error(message)
	panic(message)
}

// failures slows down what Pebble does over and over while the disk is full, a thousand times a second if it is let, and
// logs it once a second.
type failures struct{ logged atomic.Int64 }

// failurePause is how long Pebble waits after each. It holds a lock that new views need, so it is short.
const failurePause = 10 * time.Millisecond

// take reports whether to log a failure.
func (f *failures) take() bool {
	time.Sleep(failurePause)
	now := time.Now().UnixNano()
	last := f.logged.Load()
	return now-last >= int64(time.Second) && f.logged.CompareAndSwap(last, now)
}
