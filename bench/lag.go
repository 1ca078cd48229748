package bench

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/bench/consistency"
	"svc/bench/node"
	"svc/core/client"
)

// lagEntries is how many entries the releases go round.
const lagEntries = 100

// watchEvery is the pause between two reads of a watcher: reading without any, the watchers would keep from working what
// they wait for.
const watchEvery = time.Millisecond / 2

// lagLimit is the most that all but one in a hundred releases may take to show, in milliseconds.
const lagLimit = 100

// lag publishes single-entry releases in a row and measures, from each publish response, until each edge serves it.
func lag(ctx context.Context, b *Bench) error {
	releases := b.sized(1_000, 100)
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	byID, err := consistency.Stage{Client: b.client, Project: project}.First(ctx, lagEntries)
	if err != nil {
		return err
	}
	if err := b.awaitSettled(ctx, project, consistency.Collection, 1, time.Minute); err != nil {
		return err
	}
	ids := consistency.NewContents(byID).IDs()
	b.progress("publishing %d releases of one entry", releases)
	l := &lagRun{bench: b, project: project, edges: b.edges(), seen: map[string][]float64{}}
	for n := range releases {
		if err := l.release(ctx, uint64(n)+2, ids[n%len(ids)]); err != nil {
			return fmt.Errorf("release %d: %w", n+2, err)
		}
	}
	b.Report.add("releases", float64(releases), Count).noted("write and publish: median %.1f ms", percentile(l.published, 0.5))
	for _, edge := range l.edges {
		sample := l.seen[edge.Name]
		b.Report.add("publish response to visible on "+edge.Name+", p50", percentile(sample, 0.5), Milliseconds).atMost(15)
		b.Report.add("publish response to visible on "+edge.Name+", p99", percentile(sample, 0.99), Milliseconds).atMost(lagLimit).
			noted("p90 %.1f ms, longest %.1f ms", percentile(sample, 0.9), sample[len(sample)-1])
	}
	return nil
}

// lagRun is the measuring.
type lagRun struct {
	bench     *Bench
	project   string
	edges     []node.Node
	published []float64            // milliseconds of a write and its publish
	seen      map[string][]float64 // milliseconds from the publish response, by edge
}

func (l *lagRun) release(ctx context.Context, number uint64, id string) error {
	began := time.Now()
	note := fmt.Sprintf("as of release %d", number)
	written, err := l.bench.client.PatchEntry(ctx, l.project, id, client.Patch{Data: map[string]string{"note": note}})
	if err != nil {
		return err
	}
	if _, err := l.bench.client.Publish(ctx, l.project, string(written.ChangeSet.ID)); err != nil {
		return err
	}
	answered := time.Now()
	l.published = append(l.published, milliseconds(answered.Sub(began)))
	visible := make([]time.Time, len(l.edges))
	group, ctx := errgroup.WithContext(ctx)
	for i, edge := range l.edges {
		group.Go(func() (err error) {
			visible[i], err = watch(ctx, edge, node.Single(l.project, consistency.Collection, id), number, string(written.Revision.ID))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, edge := range l.edges {
		l.seen[edge.Name] = append(l.seen[edge.Name], milliseconds(visible[i].Sub(answered)))
	}
	return nil
}

// watch reads an entry over and over, on the condition that it changed, until it reads as of a release.
func watch(ctx context.Context, edge node.Node, path string, release uint64, revision string) (time.Time, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, fmt.Errorf("%s does not serve it within 10 s", edge.Name))
	defer cancel()
	tag := ""
	for {
		answer, err := edge.Get(ctx, path, node.Header{Name: "If-None-Match", Value: tag})
		at := time.Now()
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return at, err
		}
		if answer.Release < release {
			tag = answer.Header.Get("Etag")
			time.Sleep(watchEvery)
			continue
		}
		if answer.Status == http.StatusNotModified {
			return at, fmt.Errorf("%s: %s has not changed with release %d", edge.Name, path, answer.Release)
		}
		got, err := answer.Entry()
		if err == nil && got.Meta.Revision != revision {
			err = fmt.Errorf("%s: %s of release %d is %s, not %s", edge.Name, path, answer.Release, got.Meta.Revision, revision)
		}
		return at, err
	}
}
