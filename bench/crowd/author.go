package crowd

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

// Author publishes one small release after the other, whatever happens to the parts of the deployment meanwhile.
type Author struct {
	Stage
	Ledger *Ledger
	Random *rand.Rand

	items     map[string]Item // as of the newest release
	withdrawn map[string]Item // unpublished ones
	number    int             // of the next item to be made
	repeated  int
}

// Repeated is how many calls were made again, because the first one was not answered.
func (a *Author) Repeated() int { return a.repeated }

// Begin publishes release 1.
func (a *Author) Begin(ctx context.Context, size int) error {
	items, err := a.First(ctx, size)
	if err != nil {
		return err
	}
	a.items, a.withdrawn, a.number = items, map[string]Item{}, size
	a.Ledger = NewLedger(NewEdition(maps.Clone(items)))
	return nil
}

// Publish publishes the next release: some edits, and at times a new item, a withdrawal, a return or a deletion.
func (a *Author) Publish(ctx context.Context) error {
	release := int(a.Ledger.Published()) + 1
	var set wire.ChangeSet
	err := a.insist(ctx, func() (err error) {
		set, err = a.Client.CreateChangeSet(ctx, a.Project, fmt.Sprintf("Release %d", release), "")
		return err
	})
	if err != nil {
		return err
	}
	if err := a.stage(ctx, string(set.ID), release); err != nil {
		return fmt.Errorf("release %d: %w", release, err)
	}
	a.Ledger.Enter(NewEdition(maps.Clone(a.items)))
	err = a.insist(ctx, func() error {
		_, err := a.Client.Publish(ctx, a.Project, string(set.ID))
		return a.unlessDone(ctx, string(set.ID), err)
	})
	if err != nil {
		return fmt.Errorf("release %d: %w", release, err)
	}
	a.Ledger.Publish()
	return nil
}

// unlessDone forgives a CONFLICT where the set is published: an earlier try went through without an answer.
func (a *Author) unlessDone(ctx context.Context, set string, err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		return err
	}
	now, lookErr := a.Client.ChangeSet(ctx, a.Project, set)
	if lookErr != nil || now.Status != "published" {
		return errors.Join(err, lookErr)
	}
	return nil
}

func (a *Author) stage(ctx context.Context, set string, release int) error {
	ids := slices.Sorted(maps.Keys(a.items))
	for _, i := range a.Random.Perm(len(ids))[:1+a.Random.IntN(4)] {
		if err := a.rewrite(ctx, set, ids[i], a.items[ids[i]], release); err != nil {
			return err
		}
	}
	switch id := ids[a.Random.IntN(len(ids))]; a.Random.IntN(8) {
	case 0:
		return a.add(ctx, set, release)
	case 1:
		if a.items[id].Generation != release {
			return a.withdraw(ctx, set, id)
		}
	case 2:
		if gone := slices.Sorted(maps.Keys(a.withdrawn)); len(gone) > 0 {
			return a.rewrite(ctx, set, gone[0], a.withdrawn[gone[0]], release)
		}
	case 3:
		if len(ids) > 150 && a.items[id].Generation != release {
			return a.drop(ctx, set, id)
		}
	}
	return nil
}

// rewrite edits an item, which returns where it was withdrawn.
func (a *Author) rewrite(ctx context.Context, set, id string, was Item, release int) error {
	now := was
	now.Generation, now.Note = release, fmt.Sprintf("as of release %d", release)
	err := a.insist(ctx, func() error {
		_, err := a.Client.PatchEntry(ctx, a.Project, id, client.Patch{Data: now, ChangeSetID: set})
		return err
	})
	if err == nil {
		delete(a.withdrawn, id)
		a.items[id] = now
	}
	return err
}

// add makes an item by an import, which finds it again by its slug when it is repeated.
func (a *Author) add(ctx context.Context, set string, release int) error {
	added := ItemAt(a.number, release)
	var made wire.Imported
	err := a.insist(ctx, func() (err error) {
		made, err = a.take(ctx, []Item{added}, set)
		return err
	})
	if err == nil {
		a.items[string(*made.Entries[0].Entry)] = added
		a.number++
	}
	return err
}

func (a *Author) withdraw(ctx context.Context, set, id string) error {
	err := a.insist(ctx, func() error {
		_, err := a.Client.UnpublishEntry(ctx, a.Project, id, set)
		return err
	})
	if err == nil {
		a.withdrawn[id] = a.items[id]
		delete(a.items, id)
	}
	return err
}

func (a *Author) drop(ctx context.Context, set, id string) error {
	err := a.insist(ctx, func() error {
		_, err := a.Client.DeleteEntry(ctx, a.Project, id, set)
		return err
	})
	if err == nil {
		delete(a.items, id)
	}
	return err
}

// insist repeats a call until it is answered: while core is down, or says that it cannot at the moment.
func (a *Author) insist(ctx context.Context, call func() error) error {
	for {
		err := call()
		var refused *client.Error
		if err == nil || errors.As(err, &refused) && refused.Status < http.StatusInternalServerError {
			return err
		}
		a.repeated++
		if over := node.Pause(ctx, 50*time.Millisecond); over != nil {
			return errors.Join(over, err)
		}
	}
}
