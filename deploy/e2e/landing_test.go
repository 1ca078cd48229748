package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
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

	first    []string       // of release 1, oldest first
	place    map[string]int // of those that were arranged at the start
	movers   map[string]bool
	mu       sync.Mutex
	releases map[uint64]map[string]int // what each changed: the new rating, or gone
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
		releases: map[uint64]map[string]int{},
	}
	var lines strings.Builder
	for n := range entries {
		fmt.Fprintf(&lines, "{\"data\":{\"title\":\"Entry %d\",\"rating\":0}}\n", n)
	}
	made, err := b.api.ImportLines(b.t.Context(), b.project.Slug, "posts", strings.NewReader(lines.String()), client.ImportOptions{})
	b.check(err)
	changes := map[string]int{}
	for _, e := range made.Entries {
		l.first = append(l.first, e.ID)
		changes[e.ID] = 0
	}
	l.enter(b.publish(made.ChangeSetID), changes)
	for n, id := range l.first[:arranged] {
		l.place[id] = n
		l.movers[id] = n%moved == 0
	}
	b.check(b.api.Reorder(b.t.Context(), b.project.Slug, "posts", l.first[:arranged]))
	return l
}

func (l *landings) enter(release uint64, changes map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.releases[release] != nil {
		panic(fmt.Sprintf("two releases have the number %d", release))
	}
	l.releases[release] = changes
	l.published.Store(max(l.published.Load(), release))
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
		answer, err := l.editor.Send(ctx, http.MethodPost, "/v1/projects/"+l.project.Slug+"/collections/posts/reorder", body,
			node.Header{Name: "Content-Type", Value: "application/json"})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil || answer.Status != http.StatusOK {
			return fmt.Errorf("moving an entry: %d %w: %.200s", answer.Status, err, answer.Body)
		}
	}
	return nil
}

// annals are the entries and their ratings at each release; index 0 is before the first.
type annals []map[string]int

// history puts together what all releases made. None may be missing.
func (l *landings) history() (annals, error) {
	out := annals{{}}
	for n := range uint64(len(l.releases)) {
		changes := l.releases[n+1]
		if changes == nil {
			return nil, fmt.Errorf("nobody published release %d, and there are %d", n+1, len(l.releases))
		}
		now := make(map[string]int, len(out[n])+1)
		for id, rating := range out[n] {
			now[id] = rating
		}
		for id, rating := range changes {
			if now[id] = rating; rating == gone {
				delete(now, id)
			}
		}
		out = append(out, now)
	}
	return out, nil
}

// fits holds a walk against the releases that it saw. Entries that editors move may be met anywhere.
func (l *landings) fits(h annals, w walked) error {
	if w.pin > 0 && (w.first != w.pin || w.last != w.pin) {
		return fmt.Errorf("a walk at %d was answered at releases %d to %d", w.pin, w.first, w.last)
	}
	seen, before := map[string]int{}, ""
	for _, r := range w.rows {
		seen[r.id]++
		if got, there := h[r.release][r.id]; !there || got != r.rating {
			return fmt.Errorf("%s reads %d at release %d, where it is %d (there: %v)", r.id, r.rating, r.release, got, there)
		}
		if l.movers[r.id] {
			continue
		}
		if before != "" && !l.precedes(before, r.id) {
			return fmt.Errorf("%s comes after %s in a walk from release %d to %d", r.id, before, w.first, w.last)
		}
		before = r.id
	}
	for id := range h[w.first] {
		if seen[id] != 1 && !l.movers[id] && h.always(id, w.first, w.last) {
			return fmt.Errorf("%s, there at all releases from %d to %d, was seen %d times in %d rows (pin %d)",
				id, w.first, w.last, seen[id], len(w.rows), w.pin)
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

func (h annals) always(id string, from, to uint64) bool {
	for ; from <= to; from++ {
		if _, there := h[from][id]; !there {
			return false
		}
	}
	return true
}
