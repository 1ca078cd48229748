package consistency

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"svc/bench/node"
)

// reader is one of a group.
type reader struct {
	*Group
	random *rand.Rand
	// last is the release of the newest answer: on one node no one goes back in time.
	last uint64
}

func (g *Group) read(ctx context.Context, seed uint64) error {
	r := &reader{Group: g, random: rand.New(rand.NewPCG(seed, 7))}
	if g.Kind == Lists {
		return r.walk(ctx)
	}
	return r.pick(ctx)
}

// get makes one read, of the head or of a pin where that is not 0, and finds the release that the answer names.
func (r *reader) get(ctx context.Context, path string, pin uint64) (node.Answer, *Contents, error) {
	answer, err := r.send(ctx, path)
	if err != nil {
		return answer, nil, err
	}
	e := r.readers.history.At(answer.Release)
	switch {
	case e == nil || pin > 0 && answer.Release != pin:
		return answer, nil, fmt.Errorf("%s: %s answers %d of release %d: %.300s", r.Node.Name, path, answer.Status, answer.Release, answer.Body)
	case pin == 0 && answer.Release < r.last && !r.readers.SkipOutages:
		return answer, nil, fmt.Errorf("%s: %s answers of release %d after one of %d", r.Node.Name, path, answer.Release, r.last)
	case pin == 0:
		r.last = answer.Release
	}
	r.count(answer.Release)
	return answer, e, nil
}

// send reads a path, again and again where the reader is patient and the node does not answer.
func (r *reader) send(ctx context.Context, path string) (node.Answer, error) {
	for {
		if err := r.pace.Wait(ctx); err != nil {
			return node.Answer{}, err
		}
		answer, err := r.Node.Get(ctx, path)
		if !r.readers.SkipOutages || err == nil && !beginning(answer) && answer.Status != http.StatusServiceUnavailable {
			return answer, err
		}
		r.readers.skipped.Add(1)
		if err := node.Pause(ctx, 20*time.Millisecond); err != nil {
			return answer, err
		}
	}
}

// beginning tells whether a node answers from before the first release: one that lost its disk follows the log from its
// start, or has no more than the project yet.
func beginning(a node.Answer) bool {
	return a.Release == 0 && a.Status < http.StatusInternalServerError
}

// walk reads the list from its start to its end, over and over, every fourth time at a pin.
func (r *reader) walk(ctx context.Context) error {
	for round := 0; ; round++ {
		pin := uint64(0)
		if round%4 == 3 {
			pin = r.readers.history.pin(r.random)
		}
		if err := r.list(ctx, pin); err != nil {
			return err
		}
	}
}

// list reads a list in pages of changing size. The head may move on between two pages.
func (r *reader) list(ctx context.Context, pin uint64) error {
	query := pinned(pin)
	sizes := []int{10, 25, 50, 100}
	for after := ""; ; {
		size := sizes[r.random.IntN(len(sizes))]
		query.Set("limit", strconv.Itoa(size))
		answer, e, err := r.get(ctx, node.List(r.readers.project, Collection)+"?"+query.Encode(), pin)
		if err != nil {
			return err
		}
		page, err := answer.Page()
		if err == nil {
			err = e.fits(page, after, size)
		}
		if err != nil {
			return fmt.Errorf("%s: %s of release %d: %w", r.Node.Name, answer.Path, answer.Release, err)
		}
		if page.Next == "" {
			return nil
		}
		after = page.Entries[len(page.Entries)-1].ID
		query.Set("cursor", page.Next)
	}
}

func pinned(pin uint64) url.Values {
	query := url.Values{}
	if pin > 0 {
		query.Set("at", strconv.FormatUint(pin, 10))
	}
	return query
}

// pick reads entries at random, by slug and by id, also such as the release that answers does not have.
func (r *reader) pick(ctx context.Context) error {
	for round := 0; ; round++ {
		id, slug := r.readers.history.any(r.random)
		ref, pin := id, uint64(0)
		if round%2 == 0 {
			ref = slug
		}
		if round%8 == 7 {
			pin = r.readers.history.pin(r.random)
		}
		path := node.Single(r.readers.project, Collection, ref)
		if pin > 0 {
			path += "?" + pinned(pin).Encode()
		}
		if err := r.entry(ctx, path, id, pin); err != nil {
			return err
		}
	}
}

func (r *reader) entry(ctx context.Context, path, id string, pin uint64) error {
	answer, e, err := r.get(ctx, path, pin)
	if err != nil {
		return err
	}
	if _, live := e.byID[id]; !live {
		if answer.Status != http.StatusNotFound {
			return fmt.Errorf("%s: %s of release %d answers %d", r.Node.Name, path, answer.Release, answer.Status)
		}
		return nil
	}
	got, err := answer.Entry()
	if err == nil && got.ID != id {
		err = fmt.Errorf("it is the entry %s", got.ID)
	}
	if err == nil {
		err = e.holds(got)
	}
	if err != nil {
		return fmt.Errorf("%s: %s of release %d: %w", r.Node.Name, path, answer.Release, err)
	}
	return nil
}
