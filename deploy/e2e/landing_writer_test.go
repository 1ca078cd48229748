package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"

	"svc/core/client"
)

// mostOwn is how many entries a writer writes to at most.
const mostOwn = 150

// writer publishes changes to entries that no other writer touches.
type writer struct {
	*landings
	random *rand.Rand
	own    []string       // those it may write to, whether they are out or not
	out    map[string]int // ratings
}

// writer returns the n-th of several.
func (l *landings) writer(n, of int, random *rand.Rand) *writer {
	w := &writer{landings: l, random: random, out: map[string]int{}}
	for i, id := range l.first {
		if i%untouched != 0 && i%of == n {
			w.own = append(w.own, id)
			w.out[id] = 0
		}
	}
	return w
}

// release publishes a change set of some edits, departures and arrivals.
func (w *writer) release(ctx context.Context) error {
	set, err := w.api.CreateChangeSet(ctx, w.project.Slug, "Change", "")
	if err != nil {
		return err
	}
	changes := map[string]int{}
	for range 1 + w.random.IntN(2) {
		if err := w.stage(ctx, string(set.ID), changes); err != nil {
			return err
		}
	}
	out, err := w.api.Publish(ctx, w.project.Slug, string(set.ID))
	if err != nil {
		return err
	}
	for id, rating := range changes {
		if w.out[id] = rating; rating == gone {
			delete(w.out, id)
		}
	}
	return w.enter(*out.ChangeSet.ReleaseNumber, changes)
}

func (w *writer) stage(ctx context.Context, set string, changes map[string]int) error {
	id := w.own[w.random.IntN(len(w.own))]
	if _, again := changes[id]; again {
		return nil
	}
	rating, there := w.out[id]
	switch chance := w.random.IntN(10); {
	case chance == 0 && len(w.own) < mostOwn:
		data := map[string]any{"title": fmt.Sprintf("New %d", w.random.Uint64()), "rating": 1}
		made, err := w.api.CreateEntry(ctx, w.project.Slug, "posts", client.NewEntry{Data: data, ChangeSetID: set})
		if err != nil {
			return err
		}
		w.own = append(w.own, string(made.Entry.ID))
		changes[string(made.Entry.ID)] = 1
	case chance < 4 && there:
		if _, err := w.api.UnpublishEntry(ctx, w.project.Slug, id, set); err != nil {
			return err
		}
		changes[id] = gone
	default: // also brings back what was away
		rating = max(rating, 0) + 1 + w.random.IntN(1_000)
		patch := client.Patch{Data: map[string]any{"rating": rating}, ChangeSetID: set}
		if _, err := w.api.PatchEntry(ctx, w.project.Slug, id, patch); err != nil {
			return err
		}
		changes[id] = rating
	}
	return nil
}
