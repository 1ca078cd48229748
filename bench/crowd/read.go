package crowd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"

	"svc/bench/node"
)

// reader is one of a group.
type reader struct {
	*Group
	random *rand.Rand
	// last is the release of the newest answer: on one node nobody goes back in time.
	last uint64
}

func (g *Group) read(ctx context.Context, seed uint64) error {
	r := &reader{Group: g, random: rand.New(rand.NewPCG(seed, 7))}
	if g.Kind == Lists {
		return r.walk(ctx)
	}
	return r.pick(ctx)
}

// get makes one read, of the head or of a pin, and finds the edition that the answer names.
func (r *reader) get(ctx context.Context, path string, pinned bool) (node.Answer, *Edition, error) {
	if err := r.pace.Wait(ctx); err != nil {
		return node.Answer{}, nil, err
	}
	answer, err := r.Node.Get(ctx, path)
	if err != nil {
		return answer, nil, err
	}
	e := r.crowd.editions[answer.Release]
	switch {
	case e == nil:
		return answer, nil, fmt.Errorf("%s: %s answers %d of release %d: %.300s", r.Node.Name, path, answer.Status, answer.Release, answer.Body)
	case !pinned && answer.Release < r.last:
		return answer, nil, fmt.Errorf("%s: %s answers of release %d after one of %d", r.Node.Name, path, answer.Release, r.last)
	case !pinned:
		r.last = answer.Release
	}
	r.count(answer.Release)
	return answer, e, nil
}

// walk reads the list from its start to its end, over and over, every fourth time at a pin.
func (r *reader) walk(ctx context.Context) error {
	for round := 0; ; round++ {
		query := url.Values{}
		if round%4 == 3 {
			query.Set("at", "1")
		}
		if err := r.list(ctx, query); err != nil {
			return err
		}
	}
}

// list reads a list in pages of changing size. The head may move on between two pages.
func (r *reader) list(ctx context.Context, query url.Values) error {
	sizes := []int{10, 25, 50, 100}
	for after := ""; ; {
		size := sizes[r.random.IntN(len(sizes))]
		query.Set("limit", strconv.Itoa(size))
		answer, e, err := r.get(ctx, node.List(r.crowd.project, Collection)+"?"+query.Encode(), query.Has("at"))
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

// pick reads entries at random, by slug and by id, also such as one of the editions does not have.
func (r *reader) pick(ctx context.Context) error {
	slugs := map[string]string{}
	for _, e := range r.crowd.editions {
		for id, i := range e.byID {
			slugs[id] = i.Slug
		}
	}
	ids := make([]string, 0, len(slugs))
	for id := range slugs {
		ids = append(ids, id)
	}
	for round := 0; ; round++ {
		id := ids[r.random.IntN(len(ids))]
		ref := id
		if round%2 == 0 {
			ref = slugs[id]
		}
		path, pinned := node.Single(r.crowd.project, Collection, ref), round%8 == 7
		if pinned {
			path += "?at=1"
		}
		if err := r.entry(ctx, path, id, pinned); err != nil {
			return err
		}
	}
}

func (r *reader) entry(ctx context.Context, path, id string, pinned bool) error {
	answer, e, err := r.get(ctx, path, pinned)
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
