package node

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
)

// Ask sends one read to every node at once.
func Ask(ctx context.Context, nodes []Node, path string, headers ...Header) ([]Answer, error) {
	answers := make([]Answer, len(nodes))
	group, ctx := errgroup.WithContext(ctx)
	for i, n := range nodes {
		group.Go(func() (err error) {
			answers[i], err = n.Get(ctx, path, headers...)
			return err
		})
	}
	return answers, group.Wait()
}

// poll is the pause between two looks of Until.
const poll = 5 * time.Millisecond

// Until looks until a condition holds. When ctx ends first, the error is what was missing last.
func Until(ctx context.Context, look func(context.Context) error) error {
	var missing error
	for {
		// A look that the end of ctx cuts short tells nothing.
		if now := look(ctx); now == nil {
			return nil
		} else if missing == nil || ctx.Err() == nil {
			missing = now
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), missing)
		case <-time.After(poll):
		}
	}
}

// Pause waits for a while, which no signal ends: to do something at a moment that nothing chose.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Await waits until every node serves a release of a project as its head. collection is one that readers may list.
func Await(ctx context.Context, nodes []Node, project, collection string, release uint64) error {
	path := List(project, collection) + "?limit=1"
	return Until(ctx, func(ctx context.Context) error {
		answers, err := Ask(ctx, nodes, path)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if a.Status != http.StatusOK || a.Release < release {
				return fmt.Errorf("%s answers %d at release %d, not at %d", a.Node, a.Status, a.Release, release)
			}
		}
		return nil
	})
}

// Walk reads a list page by page; each gets the pages as they come and ends the walk with an error.
func (n Node) Walk(ctx context.Context, project, collection string, query url.Values, each func(Answer, Page) error) error {
	values := url.Values{}
	for name, list := range query {
		values[name] = list
	}
	for {
		answer, err := n.Get(ctx, List(project, collection)+"?"+values.Encode())
		if err != nil {
			return err
		}
		page, err := answer.Page()
		if err != nil {
			return err
		}
		if err := each(answer, page); err != nil {
			return err
		}
		if page.Next == "" {
			return nil
		}
		values.Set("cursor", page.Next)
	}
}
