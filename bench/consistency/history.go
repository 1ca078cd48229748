package consistency

import (
	"math/rand/v2"
	"sync"
)

// History is what each release holds. The contents of a release are added before it is published, for readers may see it before
// the publish has answered.
type History struct {
	mu        sync.RWMutex
	contents  []*Contents // of release 1 first
	published uint64
}

// NewHistory returns a history of release 1, which is published.
func NewHistory(first *Contents) *History {
	return &History{contents: []*Contents{first}, published: 1}
}

// Add adds the contents of the next release, or puts it in place of one that was not published after all.
func (l *History) Add(e *Contents) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.contents = append(l.contents[:l.published], e)
}

// Publish says that the newest one is out.
func (l *History) Publish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.published = uint64(len(l.contents))
}

// At is what a release holds; nil where there is none.
func (l *History) At(release uint64) *Contents {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if release == 0 || release > uint64(len(l.contents)) {
		return nil
	}
	return l.contents[release-1]
}

// Newest is the number of the newest release.
func (l *History) Newest() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return uint64(len(l.contents))
}

// Published is the newest release that is known to be out.
func (l *History) Published() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.published
}

// any is an entry of some release and its slug there: of the newest ones more often than of old ones.
func (l *History) any(random *rand.Rand) (id, slug string) {
	newest := l.Newest()
	release := newest - min(newest-1, uint64(random.ExpFloat64()*float64(newest)/8))
	e := l.At(release)
	id = e.ids[random.IntN(len(e.ids))]
	return id, e.byID[id].Slug
}

// pin is a release to read at.
func (l *History) pin(random *rand.Rand) uint64 { return 1 + random.Uint64N(l.Published()) }
