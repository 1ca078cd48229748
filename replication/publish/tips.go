package publish

import (
	"sync"

	"svc/replication/record"
)

// tip is the last message of a log on the stream; a zero seq says that there is none.
type tip struct {
	seq   uint64 // in the stream
	at    record.Position
	given record.Stamp // to releases of the project by then, as far as the message tells
}

func (t tip) none() bool { return t.seq == 0 }

// tips remembers the last messages.
type tips struct {
	mu    sync.Mutex
	known map[string]tip
}

func newTips() *tips { return &tips{known: map[string]tip{}} }

func (t *tips) get(log string) (tip, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.known[log]
	return known, ok
}

func (t *tips) set(log string, to tip) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[log] = to
}

// learn remembers a tip that was read some time ago, where nothing newer is known.
func (t *tips) learn(log string, to tip) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.known[log]; !known {
		t.known[log] = to
	}
}

func (t *tips) forget(log string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, log)
}

func (t *tips) forgetAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.known)
}
