package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"svc/core/client"
	"svc/core/wire"
	"svc/deploy/e2e/retry"
	"svc/shared/content"
)

// itemsEach is how many entries each writer has.
const itemsEach = 20

// writers publish to one project at the same time, each to entries of its own, whatever happens to the parts of the
// deployment meanwhile, and enter every release in a book. Every second one has each of its writes carry a key, and sends
// it with that key until it is answered.
type writers struct {
	bed     *bed
	clients []*client.Client
	stop    context.CancelFunc
	group   *errgroup.Group
	failed  <-chan struct{} // closed when a writer gives up

	mu       sync.Mutex
	book     map[uint64]booked
	keyed    map[string]bool // titles of sets that were made with a key
	repeated int
	lost     int // answers that are lost, of writes that took effect
}

// booked is a release: the change set it was, what its entries read, by slug, and how many items it has.
type booked struct {
	set    string
	bodies map[string]string
	items  int
}

// startWriters publishes all entries as release 1 and lets the writers begin: one through each node that is named, or two
// through core and one through each edge. The project has posts and memos.
func startWriters(b *bed, random *rand.Rand, through ...string) *writers {
	b.t.Helper()
	w := &writers{bed: b, book: map[uint64]booked{}, keyed: map[string]bool{}}
	if len(through) == 0 {
		through = []string{"core", "core", "edge-1", "edge-2"}
	}
	for _, name := range through {
		w.clients = append(w.clients, client.New(b.stack.URL(name), b.account.Token, &http.Client{Timeout: time.Minute, Transport: keys{}}))
	}
	first := map[string]string{}
	for writer := range w.clients {
		for item := range itemsEach {
			first[slugOf(writer, item)] = "first"
		}
	}
	b.check(w.publish(b.t.Context(), 0, "", first))
	ctx, stop := context.WithCancel(b.t.Context())
	group, ctx := errgroup.WithContext(ctx)
	w.stop, w.group, w.failed = stop, group, ctx.Done()
	for writer := range w.clients {
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		group.Go(func() error { return w.write(ctx, writer, own) })
	}
	return w
}

func slugOf(writer, item int) string { return fmt.Sprintf("writer-%d-item-%02d", writer, item) }

// write publishes one release after the other until ctx ends. A release that has begun is brought to its end.
func (w *writers) write(ctx context.Context, writer int, random *rand.Rand) error {
	for round := 0; ctx.Err() == nil; round++ {
		bodies := map[string]string{}
		for _, item := range random.Perm(itemsEach)[:1+random.IntN(itemsEach)] {
			bodies[slugOf(writer, item)] = fmt.Sprintf("round %d of writer %d: %s", round, writer, strings.Repeat("text ", random.IntN(400)))
		}
		if err := w.publish(w.bed.t.Context(), writer, fmt.Sprintf("round %d of writer %d", round, writer), bodies); err != nil {
			return fmt.Errorf("writer %d: %w", writer, err)
		}
	}
	return nil
}

// publish stages entries, publishes them, and books the release.
func (w *writers) publish(ctx context.Context, writer int, name string, bodies map[string]string) error {
	var lines bytes.Buffer
	for slug, body := range bodies {
		if err := json.MarshalWrite(&lines, map[string]post{"data": {Title: slug, Slug: slug, Body: body}}); err != nil {
			return err
		}
		lines.WriteByte('\n')
	}
	release := w.release
	if writer%2 == 1 {
		release = w.releaseOnce
	}
	number, b, err := release(ctx, w.clients[writer], name, lines.Bytes())
	if err != nil {
		return err
	}
	b.bodies = bodies
	b.items += len(bodies)
	return w.enter(number, b)
}

// release publishes posts as an import makes them.
func (w *writers) release(ctx context.Context, api *client.Client, _ string, lines []byte) (uint64, booked, error) {
	project := w.bed.project.Slug
	var set string
	if err := w.insist(ctx, func() error {
		made, err := api.ImportLines(ctx, project, "posts", bytes.NewReader(lines), client.ImportOptions{})
		if err != nil {
			return err
		}
		if made.ChangeSet != nil {
			set = string(*made.ChangeSet)
			return nil
		}
		set, err = w.staging(ctx, api, *made.Entries[0].Entry) // an earlier try went through without an answer
		return err
	}); err != nil {
		return 0, booked{}, fmt.Errorf("stage a release: %w", err)
	}
	var number *uint64
	if err := w.insist(ctx, func() error {
		out, err := api.Publish(ctx, project, set)
		if err == nil {
			number = out.ChangeSet.ReleaseNumber
			return nil
		}
		number, err = w.publishedAs(ctx, api, set, err)
		return err
	}); err != nil {
		return 0, booked{}, fmt.Errorf("publish a release: %w", err)
	}
	return *number, booked{set: set}, nil
}

// staging is the open change set that has an entry.
func (w *writers) staging(ctx context.Context, api *client.Client, entry content.EntryID) (string, error) {
	open, err := api.ChangeSets(ctx, w.bed.project.Slug, string(content.ChangeSetOpen))
	if err != nil {
		return "", err
	}
	for _, set := range open {
		items, err := api.ChangeSetItems(ctx, w.bed.project.Slug, string(set.ID))
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(items, func(i wire.Item) bool { return i.ResourceID == string(entry) }) {
			return string(set.ID), nil
		}
	}
	return "", fmt.Errorf("no open change set has the entry %s", entry)
}

// publishedAs is the release that a change set became where publishing it again is a conflict: an earlier try went through
// without an answer.
func (w *writers) publishedAs(ctx context.Context, api *client.Client, set string, err error) (*uint64, error) {
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		return nil, err
	}
	now, lookErr := api.ChangeSet(ctx, w.bed.project.Slug, set)
	if lookErr != nil {
		return nil, lookErr
	}
	if now.ReleaseNumber == nil {
		return nil, fmt.Errorf("the set is %s: %w", now.Status, err)
	}
	return now.ReleaseNumber, nil
}

// insist repeats a call until it is answered, and counts how often.
func (w *writers) insist(ctx context.Context, call func() error) error {
	tries := 0
	defer func() {
		w.mu.Lock()
		w.repeated += tries - 1
		w.mu.Unlock()
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, 2*patience, fmt.Errorf("not answered within %s", 2*patience))
	defer cancel()
	return retry.Until(ctx, func() error {
		tries++
		return call()
	})
}

func (w *writers) enter(number uint64, b booked) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, taken := w.book[number]; taken {
		return fmt.Errorf("release %d was given to %s and to %s", number, before.set, b.set)
	}
	w.book[number] = b
	return nil
}

// released is how many releases are booked.
func (w *writers) released() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.book)
}

// await waits until so many more releases are booked.
func (w *writers) await(more int) {
	w.bed.t.Helper()
	want := w.released() + more
	w.bed.until(func(context.Context) error {
		select {
		case <-w.failed:
			// The end tells why.
			return nil
		default:
		}
		if now := w.released(); now < want {
			return fmt.Errorf("%d releases of %d", now, want)
		}
		return nil
	})
}

// finish lets the writers come to the end of what they have begun, and returns the book. No write with a key took effect
// twice.
func (w *writers) finish() map[uint64]booked {
	w.bed.t.Helper()
	w.stop()
	w.bed.check(w.group.Wait())
	w.bed.t.Logf("%d releases, %d of them with keys; %d calls were made again, and of %d with keys the answers are lost",
		len(w.book), len(w.keyed), w.repeated, w.lost)
	w.bed.check(w.madeOnce())
	return w.book
}
