package store

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// builder knows the logs that have definitions to build.
type builder struct {
	mu   sync.Mutex
	logs map[string]bool
	wake chan struct{}
}

func newBuilder() builder { return builder{logs: map[string]bool{}, wake: make(chan struct{}, 1)} }

func (b *builder) want(log string) {
	b.mu.Lock()
	b.logs[log] = true
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *builder) done(log string) {
	b.mu.Lock()
	delete(b.logs, log)
	b.mu.Unlock()
}

func (b *builder) wanted() (logs []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for log := range b.logs {
		logs = append(logs, log)
	}
	return logs
}

// resumeBuilds finds what was not built when the store was last closed.
func (s *Store) resumeBuilds() error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: layout.Global.Start(nil, layout.TableUnbuilt), UpperBound: layout.Global.End(nil, layout.TableUnbuilt)})
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		s.builds.want(string(it.Key()[layout.PrefixLen:]))
	}
	return it.Close()
}
