package store

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/column"
	"svc/edge/store/load"
	"svc/edge/store/plan"
	"svc/edge/store/write"
)

const (
	// DefaultMemoryBudget is what a store uses where Config.MemoryBudget is 0.
	DefaultMemoryBudget = 192 << 20
	// MinMemoryBudget is the least a store can work with.
	MinMemoryBudget = 16 << 20
	// DefaultMinFree is what a store leaves free on the disk where Config.MinFree is 0.
	DefaultMinFree = 128 << 20
)

// Config says where a store lives and how much memory it may keep.
type Config struct {
	// Dir is the directory of the store. It is created, and it can be deleted while the store is not running.
	Dir string
	// MemoryBudget bounds, in bytes and over all projects, what the store keeps resident: blocks and memtables, live sets, entries that
	// others refer to, schemas and settings of projects in use. A batch that is being applied or a load comes on top, at most an eighth
	// of the budget or some six times the largest release, whichever is greater; so do the ranks of fields that lists are ordered by
	// (package column), at most as much as the budget again: 20 bytes for each entry of a collection, and 8 for each document that it
	// ever had, once and for each such field.
	MemoryBudget int64
	// MinFree is how many bytes a write must leave free on the disk. Below that the store takes no changes and goes
	// on answering reads.
	MinFree uint64
	// Settled tells up to which time, exclusively, all releases of a project's log that this store should hold are
	// applied: the time of the newest heartbeat whose head of that log the store has reached. Nil: none ever is.
	Settled func(log string) time.Time
	// OnCommit, where set, is told after readers can see a change, a load, or that a log was dropped. It is called once at a time
	// for each log and must not block.
	OnCommit func(Commit)
	// OnDamage, where set, is told of files that do not hold what was written to them. It must not block.
	OnDamage func(detail string)
	Logger   *slog.Logger

	fs vfs.FS // the disk; tests lose it in crashes
}

// On returns the configuration of the same store on another file system; tests lose that in crashes.
func (c Config) On(fs vfs.FS) Config {
	c.fs = fs
	return c
}

func (c *Config) setDefaults() {
	if c.MemoryBudget == 0 {
		c.MemoryBudget = DefaultMemoryBudget
	}
	if c.MinFree == 0 {
		c.MinFree = DefaultMinFree
	}
	if c.Settled == nil {
		c.Settled = func(string) time.Time { return time.Time{} }
	}
	if c.OnCommit == nil {
		c.OnCommit = func(Commit) {}
	}
	if c.OnDamage == nil {
		c.OnDamage = func(string) {}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.fs == nil {
		c.fs = vfs.Default
	}
}

// Validate reports every fault at once.
func (c *Config) Validate() error {
	var errs []error
	if c.Dir == "" {
		errs = append(errs, errors.New("the store has no directory"))
	}
	if c.MemoryBudget != 0 && c.MemoryBudget < MinMemoryBudget {
		errs = append(errs, fmt.Errorf("the memory budget of the store is %d bytes; it must be at least %d", c.MemoryBudget, MinMemoryBudget))
	}
	return errors.Join(errs...)
}

// The shares of the budget. Memtables take theirs from the cache of blocks.
func (c *Config) cacheBytes() int64    { return c.MemoryBudget * 10 / 16 }
func (c *Config) setBytes() int64      { return c.MemoryBudget * 2 / 16 }
func (c *Config) metaBytes() int64     { return c.MemoryBudget * 2 / 16 }
func (c *Config) referredBytes() int64 { return c.MemoryBudget / 16 }

// memtableBytes is also a part of what is left free on the disk: a store that opens gives back the logs of its memtables, which must
// not be enough to take changes again.
func (c *Config) memtableBytes() int64 {
	return min(16<<20, c.MemoryBudget/8, max(4<<20, int64(c.MinFree/8)))
}

// tuning is where one way of doing a thing gives way to another. Tests make both ways meet small data.
type tuning struct {
	lists   plan.Costs
	columns column.Config
	rows    write.Options

	runBytes    int   // of a load, before it is written
	smallRun    int   // up to this a run is written as a batch: see run
	buildRows   int   // documents that a batch of the builder indexes
	buildByHand bool  // nothing is built but by buildStep
	dueTexts    int64 // bytes of fields that a log has published, from which their words are indexed
}

// defaultTuning is that of production.
func defaultTuning(memoryBudget int64) *tuning {
	rows := write.DefaultOptions()
	rows.TextBatch = int(min(32<<20, memoryBudget/4))
	return &tuning{
		lists: plan.DefaultCosts(), columns: column.DefaultConfig(memoryBudget), rows: rows,
		runBytes: int(min(64<<20, memoryBudget/4)), smallRun: load.DefaultSmallRun,
		buildRows: buildRows, dueTexts: memoryBudget / dueTextsOf,
	}
}
