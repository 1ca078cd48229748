package crowd

import (
	"math/rand/v2"
	"sync"
)

// Ledger is the editions by release. An edition is entered before its release is published, for readers may see it before
// the publish has answered.
type Ledger struct {
	mu        sync.RWMutex
	editions  []*Edition // that of release 1 first
	published uint64
}

// NewLedger returns a ledger of release 1, which is published.
func NewLedger(first *Edition) *Ledger {
	return &Ledger{editions: []*Edition{first}, published: 1}
}

// Enter adds the edition of the next release, or puts it in place of one that was not published after all.
func (l *Ledger) Enter(e *Edition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.editions = append(l.editions[:l.published], e)
}

// Publish says that the newest edition is out.
func (l *Ledger) Publish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.published = uint64(len(l.editions))
}

// At is the edition of a release; nil where there is none.
func (l *Ledger) At(release uint64) *Edition {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if release == 0 || release > uint64(len(l.editions)) {
		return nil
	}
	return l.editions[release-1]
}

// Newest is the release of the newest edition.
func (l *Ledger) Newest() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return uint64(len(l.editions))
}

// Published is the newest release that is known to be out.
func (l *Ledger) Published() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.published
}

// any is some edition's entry and its slug there: of the newest editions more often than of old ones.
func (l *Ledger) any(random *rand.Rand) (id, slug string) {
	newest := l.Newest()
	release := newest - min(newest-1, uint64(random.ExpFloat64()*float64(newest)/8))
	e := l.At(release)
	id = e.ids[random.IntN(len(e.ids))]
	return id, e.byID[id].Slug
}

// pin is a release to read at.
func (l *Ledger) pin(random *rand.Rand) uint64 { return 1 + random.Uint64N(l.Published()) }
