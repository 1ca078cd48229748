package consistency

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
)

// Publisher publishes one small release after the other, whatever happens to the parts of the deployment meanwhile.
type Publisher struct {
	Stage
	History *History
	Random  *rand.Rand

	items       map[string]Item // as of the newest release
	unpublished map[string]Item // those that are unpublished
	number      int             // of the next item to be made
	repeated    int
}

// Repeated is how many calls were made again, because the first one was not answered.
func (p *Publisher) Repeated() int { return p.repeated }

// Begin publishes release 1.
func (p *Publisher) Begin(ctx context.Context, size int) error {
	items, err := p.First(ctx, size)
	if err != nil {
		return err
	}
	p.items, p.unpublished, p.number = items, map[string]Item{}, size
	p.History = NewHistory(NewContents(maps.Clone(items)))
	return nil
}

// Publish publishes the next release: some edits, and at times a new item, a withdrawal, a return or a deletion.
func (p *Publisher) Publish(ctx context.Context) error {
	release := int(p.History.Published()) + 1
	var set wire.ChangeSet
	err := p.retry(ctx, func() (err error) {
		set, err = p.Client.CreateChangeSet(ctx, p.Project, fmt.Sprintf("Release %d", release), "")
		return err
	})
	if err != nil {
		return err
	}
	if err := p.stage(ctx, string(set.ID), release); err != nil {
		return fmt.Errorf("release %d: %w", release, err)
	}
	p.History.Add(NewContents(maps.Clone(p.items)))
	err = p.retry(ctx, func() error {
		_, err := p.Client.Publish(ctx, p.Project, string(set.ID))
		return p.unlessDone(ctx, string(set.ID), err)
	})
	if err != nil {
		return fmt.Errorf("release %d: %w", release, err)
	}
	p.History.Publish()
	return nil
}

// unlessDone forgives a CONFLICT where the set is published: an earlier try went through without an answer.
func (p *Publisher) unlessDone(ctx context.Context, set string, err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		return err
	}
	now, lookErr := p.Client.ChangeSet(ctx, p.Project, set)
	if lookErr != nil || now.Status != "published" {
		return errors.Join(err, lookErr)
	}
	return nil
}

func (p *Publisher) stage(ctx context.Context, set string, release int) error {
	ids := slices.Sorted(maps.Keys(p.items))
	for _, i := range p.Random.Perm(len(ids))[:1+p.Random.IntN(4)] {
		if err := p.rewrite(ctx, set, ids[i], p.items[ids[i]], release); err != nil {
			return err
		}
	}
	switch id := ids[p.Random.IntN(len(ids))]; p.Random.IntN(8) {
	case 0:
		return p.add(ctx, set, release)
	case 1:
		if p.items[id].Generation != release {
			return p.unpublish(ctx, set, id)
		}
	case 2:
		if gone := slices.Sorted(maps.Keys(p.unpublished)); len(gone) > 0 {
			return p.rewrite(ctx, set, gone[0], p.unpublished[gone[0]], release)
		}
	case 3:
		if len(ids) > 150 && p.items[id].Generation != release {
			return p.drop(ctx, set, id)
		}
	}
	return nil
}

// rewrite edits an item, which returns where it was unpublished.
func (p *Publisher) rewrite(ctx context.Context, set, id string, was Item, release int) error {
	now := was
	now.Generation, now.Note = release, fmt.Sprintf("as of release %d", release)
	err := p.retry(ctx, func() error {
		_, err := p.Client.PatchEntry(ctx, p.Project, id, client.Patch{Data: now, ChangeSetID: set})
		return err
	})
	if err == nil {
		delete(p.unpublished, id)
		p.items[id] = now
	}
	return err
}

// add makes an item by an import, which finds it again by its slug when it is repeated.
func (p *Publisher) add(ctx context.Context, set string, release int) error {
	added := ItemAt(p.number, release)
	var made wire.Imported
	err := p.retry(ctx, func() (err error) {
		made, err = p.take(ctx, []Item{added}, set)
		return err
	})
	if err == nil {
		p.items[string(*made.Entries[0].Entry)] = added
		p.number++
	}
	return err
}

func (p *Publisher) unpublish(ctx context.Context, set, id string) error {
	err := p.retry(ctx, func() error {
		_, err := p.Client.UnpublishEntry(ctx, p.Project, id, set)
		return err
	})
	if err == nil {
		p.unpublished[id] = p.items[id]
		delete(p.items, id)
	}
	return err
}

func (p *Publisher) drop(ctx context.Context, set, id string) error {
	err := p.retry(ctx, func() error {
		_, err := p.Client.DeleteEntry(ctx, p.Project, id, set)
		return err
	})
	if err == nil {
		delete(p.items, id)
	}
	return err
}

// retry repeats a call until it is answered: while core is down, or says that it cannot at the moment.
func (p *Publisher) retry(ctx context.Context, call func() error) error {
	for {
		err := call()
		var refused *client.Error
		if err == nil || errors.As(err, &refused) && refused.Status < http.StatusInternalServerError {
			return err
		}
		p.repeated++
		if over := node.Pause(ctx, 50*time.Millisecond); over != nil {
			return errors.Join(over, err)
		}
	}
}
