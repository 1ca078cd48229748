package store

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/column"
	"svc/edge/store/layout"
	"svc/edge/store/load"
	"svc/edge/store/plan"
	"svc/edge/store/snapshot"
	"svc/replication/follow"
	"svc/shared/fault"
	"svc/shared/read"
)

var (
	_ read.Store     = (*Store)(nil)
	_ read.Keys      = (*Store)(nil)
	_ follow.Applier = (*Store)(nil)
)

// closeWait is how long Close waits for views, changes and loads to end.
const closeWait = 10 * time.Second

// Store holds what an edge serves. Its methods may be called at the same time; changes and loads of one log wait for
// each other, and nothing else does.
type Store struct {
	cfg  Config
	tune *tuning
	path string // of the database
	db   *pebble.DB

	logs     sync.Map // id → *log, those met since the start
	slugs    sync.Map // project slug → slugHint
	slugging sync.Mutex
	namings  atomic.Uint64 // counts the commits that may have passed a slug on
	sets     snapshot.SetCache
	referred *snapshot.Kept[*read.Row]
	loads    *load.Database
	lists    *plan.Engine
	disk     diskGuard
	reserve  reserve
	unbuilt  sync.Map // id of a log → nothing: it has indexes to build
	textsDue sync.Map // id of a log → nothing: it has published so much that its words should be indexed
	indexing sync.Map // id of a log → nothing: its words are being indexed

	newTexts    atomic.Int64  // bytes of what all logs have published whose words are not indexed, about
	generations atomic.Uint64 // the last one taken
	versions    atomic.Uint64 // the last one given; see read.View.Version
	resident    atomic.Int64  // weight of the projects in memory
	tick        atomic.Int64  // counts sweeps
	evicting    sync.Mutex
	unsynced    atomic.Bool // something was committed since the last persist

	users   atomic.Int64 // views, changes and loads under way
	closed  atomic.Bool
	drained chan struct{}
	stop    chan struct{}
	swept   sync.WaitGroup
}

// New opens the store in cfg.Dir, creating it where there is none, and deletes what interrupted loads left behind.
func New(cfg Config) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	return newStore(cfg, defaultTuning(cfg.MemoryBudget))
}

func newStore(cfg Config, tune *tuning) (*Store, error) {
	s := &Store{
		tune:    tune,
		cfg:     cfg,
		path:    cfg.fs.PathJoin(cfg.Dir, layout.Version),
		drained: make(chan struct{}, 1),
		stop:    make(chan struct{}),
	}
	s.disk = diskGuard{fs: cfg.fs, dir: s.path, keep: cfg.MinFree}
	s.reserve = newReserve(&cfg, &s.disk)
	err := s.reserve.release()
	if err == nil {
		err = s.open()
	}
	if err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", cfg.Dir, err)
	}
	s.swept.Go(func() { s.everySecond(s.sweep) })
	s.swept.Go(func() { s.everySecond(s.persist) })
	if !tune.buildByHand {
		s.swept.Go(func() { s.everySecond(s.build) })
	}
	return s, nil
}

func (s *Store) open() (err error) {
	if s.sets, err = snapshot.NewSetCache(s.cfg.setBytes()); err != nil {
		return err
	}
	if s.referred, err = newReferred(s.cfg.referredBytes()); err != nil {
		return err
	}
	s.lists = plan.New(s.sets, column.New(s.tune.columns), s.tune.lists)
	cache := pebble.NewCache(s.cfg.cacheBytes())
	defer cache.Unref()
	options := s.cfg.pebbleOptions(cache)
	if s.db, err = pebble.Open(s.path, options); err != nil {
		s.closeKept()
		return unsound(err)
	}
	options.EnsureDefaults()
	s.loads = &load.Database{
		DB: s.db, FS: s.cfg.fs, Dir: s.runDir(), Tables: options.MakeWriterOptions(len(options.Levels)-1, s.db.TableFormat()),
		Admit: s.disk.admit, Commit: s.commit, Options: s.tune.rows, RunBytes: s.tune.runBytes, SmallRun: s.tune.smallRun,
	}
	if err := s.clear(); err != nil {
		s.closeKept()
		return errors.Join(err, s.db.Close())
	}
	return nil
}

// unsound names the way out to an error that no start will be without.
func unsound(err error) error {
	if errors.Is(err, fs.ErrNotExist) || pebble.IsCorruptionError(err) {
		return fmt.Errorf("its files are damaged or missing; delete it with `edge rebuild --from-nothing` and start the edge again, which "+
			"then loads everything again: %w", err)
	}
	return err
}

// Close closes the store. It waits for views, changes and loads to end; where some do not within ten seconds it
// returns an error and leaves the database open, since they would fail in the middle otherwise. A second call does
// nothing.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	close(s.stop)
	s.swept.Wait()
	timeout := time.NewTimer(closeWait)
	defer timeout.Stop()
	for s.users.Load() > 0 {
		select {
		case <-s.drained:
		case <-timeout.C:
			return fmt.Errorf("close the store: %d views, changes or loads are still open after %s", s.users.Load(), closeWait)
		}
	}
	s.logs.Range(func(_, l any) bool {
		s.unload(l.(*log))
		return true
	})
	s.closeKept()
	return s.db.Close()
}

func (s *Store) closeKept() {
	s.sets.Close()
	s.referred.Close()
}

// enter begins a use of the database, which exit ends.
func (s *Store) enter() error {
	s.users.Add(1)
	if s.closed.Load() {
		s.exit()
		return &fault.Error{Code: fault.Unavailable, Detail: "this edge is shutting down", RetryAfter: time.Second}
	}
	return nil
}

func (s *Store) exit() {
	if s.users.Add(-1) == 0 && s.closed.Load() {
		select {
		case s.drained <- struct{}{}:
		default:
		}
	}
}

// get reads one row of the store's own tables; nil where there is none.
func (s *Store) get(key []byte) ([]byte, error) { return layout.Get(s.db, key) }
