package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"svc/bench/node"
	"svc/core/client"
)

// landings is a list that releases change and editors arrange, and what each release made of it.
type landings struct {
	*bed
	editor    node.Node
	published atomic.Uint64 // the newest release that is out

	first  []string       // of release 1, oldest first
	place  map[string]int // of those that were arranged at the start
	movers map[string]bool

	mu       sync.RWMutex
	complete uint64                    // up to which release all are known
	early    map[uint64]map[string]int // what releases beyond that changed: the new rating, or gone
	lives    map[string][]moment
}

// moment is what became of an entry at a release: its rating, or gone.
type moment struct {
	release uint64
	rating  int
}

const (
	gone     = -1
	arranged = 60
	// Of three entries one is never touched, the other two are written to; of five arranged ones one is moved.
	untouched = 3
	moved     = 5
)

// newLandings publishes release 1 and arranges some of its entries.
func newLandings(b *bed, entries int) *landings {
	b.t.Helper()
	l := &landings{
		bed: b, editor: with(b.account.Token, b.core)[0], place: map[string]int{}, movers: map[string]bool{},
		early: map[uint64]map[string]int{}, lives: map[string][]moment{},
	}
	var lines strings.Builder
	for n := range entries {
		fmt.Fprintf(&lines, "{\"data\":{\"title\":\"Entry %d\",\"rating\":0}}\n", n)
	}
	made, err := b.api.ImportLines(b.t.Context(), b.project.Slug, "posts", strings.NewReader(lines.String()), client.ImportOptions{})
	b.check(err)
	changes := map[string]int{}
	for _, e := range made.Entries {
		l.first = append(l.first, string(*e.Entry))
		changes[string(*e.Entry)] = 0
	}
	b.check(l.enter(b.publish(string(*made.ChangeSet)), changes))
	for n, id := range l.first[:arranged] {
		l.place[id] = n
		l.movers[id] = n%moved == 0
	}
	b.check(b.api.Reorder(b.t.Context(), b.project.Slug, "posts", l.first[:arranged]))
	return l
}

// enter notes what a release changed.
func (l *landings) enter(release uint64, changes map[string]int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if release <= l.complete || l.early[release] != nil {
		return fmt.Errorf("two releases have the number %d", release)
	}
	l.early[release] = changes
	for changes := l.early[l.complete+1]; changes != nil; changes = l.early[l.complete+1] {
		l.complete++
		delete(l.early, l.complete)
		for id, rating := range changes {
			l.lives[id] = append(l.lives[id], moment{l.complete, rating})
		}
	}
	l.published.Store(max(l.published.Load(), release))
	return nil
}

// known returns up to which release all are known, and how many are known beyond.
func (l *landings) known() (complete uint64, beyond int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.complete, len(l.early)
}

// rearrange moves entries between arranged ones until ctx ends.
func (l *landings) rearrange(ctx context.Context, random *rand.Rand) error {
	for ctx.Err() == nil {
		mover, anchor := l.first[random.IntN(arranged/moved)*moved], l.first[random.IntN(arranged)]
		if l.movers[anchor] {
			continue
		}
		side := [2]string{"before", "after"}[random.IntN(2)]
		body := strings.NewReader(fmt.Sprintf(`{"move":{"entry":%q,%q:%q}}`, mover, side, anchor))
		answer, err := l.editor.Send(ctx, http.MethodPost, "/v1/projects/"+l.project.Slug+"/collections/posts/reorder", body, jsonBody)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil || answer.Status != http.StatusOK {
			return fmt.Errorf("moving an entry: %d %w: %.200s", answer.Status, err, answer.Body)
		}
	}
	return nil
}

// fits holds a walk against the releases that it saw. Entries that editors move may be met anywhere.
func (l *landings) fits(w walked) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if w.pin > 0 && (w.first != w.pin || w.last != w.pin) {
		return fmt.Errorf("a walk at %d was answered at releases %d to %d", w.pin, w.first, w.last)
	}
	seen, before := map[string]int{}, ""
	for _, r := range w.rows {
		seen[r.id]++
		if want := l.at(r.id, r.release); want != r.rating {
			return fmt.Errorf("%s reads %d at release %d, where it is %d", r.id, r.rating, r.release, want)
		}
		if r.rating < w.way.least {
			return fmt.Errorf("%s has %d at release %d, less than the %d that were asked for", r.id, r.rating, r.release, w.way.least)
		}
		if !l.placed(w, r.id) {
			continue
		}
		if before != "" && !l.comes(w, before, r.id) {
			return fmt.Errorf("%s comes after %s in a walk %+v from release %d to %d", r.id, before, w.way, w.first, w.last)
		}
		before = r.id
	}
	for id := range l.lives {
		if seen[id] != 1 && l.placed(w, id) && l.met(w, id) {
			return fmt.Errorf("%s, there at all releases from %d to %d, was seen %d times in %d rows (%+v, pin %d)",
				id, w.first, w.last, seen[id], len(w.rows), w.way, w.pin)
		}
	}
	return nil
}

// precedes is the order of the list: those arranged as they were, then the others, newest first.
func (l *landings) precedes(a, b string) bool {
	placeA, arrangedA := l.place[a]
	placeB, arrangedB := l.place[b]
	switch {
	case arrangedA && arrangedB:
		return placeA < placeB
	case arrangedA != arrangedB:
		return arrangedA
	}
	return a > b
}

// at is the rating of an entry at a release, or gone.
func (l *landings) at(id string, release uint64) int {
	for _, m := range slices.Backward(l.lives[id]) {
		if m.release <= release {
			return m.rating
		}
	}
	return gone
}

// stays tells whether an entry is there at all releases from one to another.
func (l *landings) stays(id string, from, to uint64) bool {
	return l.at(id, from) != gone && !slices.ContainsFunc(l.lives[id], func(m moment) bool {
		return m.rating == gone && from < m.release && m.release <= to
	})
}
