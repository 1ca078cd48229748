package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/bench/consistency"
	"svc/bench/node"
)

// recovery is how long the edges may take until they are level again after a part failed.
const recovery = 60 * time.Second

// soakReleases is about how many releases are published at most, for the contents of each are kept to the end.
const soakReleases = 7_000

// soak publishes, reads and makes parts fail, all at once and for long, and holds every answer against what was published.
func soak(ctx context.Context, b *Bench) error {
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(b.Seed, 11))
	publisher := &consistency.Publisher{Stage: consistency.Stage{Client: b.client, Project: project}, Random: random}
	if err := publisher.Begin(ctx, 200); err != nil {
		return err
	}
	if err := b.awaitHead(ctx, b.edges(), project, consistency.Collection, 1, time.Minute); err != nil {
		return err
	}
	duration := b.For
	if b.Quick {
		duration = min(duration, 20*time.Second)
	}
	b.progress("publishing, reading and killing for %s (seed %d)", duration, b.Seed)
	readers := consistency.NewReaders(b.edges(), project, publisher.History, 0)
	readers.SkipOutages = true
	trouble := &trouble{bench: b, project: project, history: publisher.History, random: rand.New(rand.NewPCG(b.Seed, 12))}
	if err := b.endure(ctx, duration, publisher, readers, trouble); err != nil {
		return err
	}
	if err := b.settled(ctx, project, publisher.History); err != nil {
		return err
	}
	return b.reportSoak(publisher, readers, trouble)
}

// endure lets all of them work until the time is over; the first that fails ends it.
func (b *Bench) endure(ctx context.Context, d time.Duration, publisher *consistency.Publisher, readers *consistency.Readers, trouble *trouble) error {
	group, ctx := errgroup.WithContext(ctx)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	end := time.Now().Add(d)
	group.Go(func() error { return readers.Read(reading) })
	var work errgroup.Group
	work.Go(func() error {
		for time.Now().Before(end) {
			if err := publisher.Publish(ctx); err != nil {
				return fmt.Errorf("publishing: %w", err)
			}
			if err := node.Pause(ctx, d/soakReleases); err != nil {
				return err
			}
		}
		return nil
	})
	work.Go(func() error {
		for time.Now().Before(end) {
			if err := trouble.make(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	group.Go(func() error {
		defer stop()
		return work.Wait()
	})
	return group.Wait()
}

// settled compares all nodes with the releases at the head and at many releases.
func (b *Bench) settled(ctx context.Context, project string, history *consistency.History) error {
	nodes := append(b.edges(), b.node("core"))
	head := history.Published()
	if err := b.awaitHead(ctx, nodes, project, consistency.Collection, head, recovery); err != nil {
		return err
	}
	b.progress("comparing %d releases on %s", head, nodeNames(nodes))
	for _, pin := range append(spread(head, b.sized(500, 50)), 0) {
		query := url.Values{"limit": {"100"}}
		if pin > 0 {
			query.Set("at", strconv.FormatUint(pin, 10))
		}
		for _, n := range nodes {
			if err := history.Compare(ctx, n, project, query, orElse(pin, head)); err != nil {
				return err
			}
		}
	}
	return nil
}

func orElse(pin, head uint64) uint64 {
	if pin == 0 {
		return head
	}
	return pin
}

func (b *Bench) reportSoak(publisher *consistency.Publisher, readers *consistency.Readers, trouble *trouble) error {
	b.Report.add("releases", float64(publisher.History.Published()), Count).noted("%d calls were made again", publisher.Repeated())
	var reads int64
	for _, g := range readers.Groups() {
		all, _ := g.Reads()
		reads += all
	}
	b.Report.add("answers, each of one release", float64(reads), Count).noted("%d reads found a node down", readers.Skipped())
	for _, name := range slices.Sorted(trouble.names()) {
		took := trouble.took[name]
		b.Report.add(name+", until the edges were level", percentile(took, 0.5), Seconds).
			noted("%d times, longest %.1f s", len(took), took[len(took)-1])
	}
	return nil
}

// trouble makes parts fail.
type trouble struct {
	bench   *Bench
	project string
	history *consistency.History
	random  *rand.Rand
	took    map[string][]float64 // seconds, by what was done
}

func (t *trouble) names() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range t.took {
			if !yield(name) {
				return
			}
		}
	}
}

// make makes one part fail in one way, brings it back, and waits until both edges serve what had been published by then.
func (t *trouble) make(ctx context.Context) error {
	name, fail := t.choose()
	began := time.Now()
	if err := fail(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	release := t.history.Published()
	nodes := t.bench.edges()
	waiting, cancel := context.WithTimeoutCause(ctx, recovery, fmt.Errorf("not within %s", recovery))
	defer cancel()
	if err := awaitThrough(waiting, nodes, t.project, release); err != nil {
		return fmt.Errorf("after %s: %w", name, err)
	}
	if t.took == nil {
		t.took = map[string][]float64{}
	}
	t.took[name] = append(t.took[name], time.Since(began).Seconds())
	return node.Pause(ctx, time.Duration(500+t.random.IntN(2000))*time.Millisecond)
}

// awaitThrough waits for a release on nodes some of which may be down for a while.
func awaitThrough(ctx context.Context, nodes []node.Node, project string, release uint64) error {
	return node.Until(ctx, func(ctx context.Context) error {
		for _, n := range nodes {
			answer, err := n.Get(ctx, node.List(project, consistency.Collection)+"?limit=1")
			if err != nil {
				return err
			}
			if answer.Release < release {
				return fmt.Errorf("%s answers %d at release %d, not at %d", n.Name, answer.Status, answer.Release, release)
			}
		}
		return nil
	})
}

// choose picks a part and what is to happen to it.
func (t *trouble) choose() (string, func(context.Context) error) {
	stack := t.bench.stack
	edge := []string{"edge-1", "edge-2"}[t.random.IntN(2)]
	part := []string{"core", "nats", "redis", "postgres", "s3", edge}[t.random.IntN(6)]
	switch t.random.IntN(4) {
	case 0:
		return edge + " loses its disk", func(ctx context.Context) error {
			err := errors.Join(stack.KillPart(edge), stack.ClearPart(edge))
			return errors.Join(err, stack.StartPart(ctx, edge))
		}
	case 1:
		return part + " hangs for a while", func(ctx context.Context) error {
			err := stack.Signal(part, syscall.SIGSTOP)
			err = errors.Join(err, node.Pause(ctx, time.Duration(500+t.random.IntN(4000))*time.Millisecond))
			return errors.Join(err, stack.Signal(part, syscall.SIGCONT))
		}
	}
	return part + " is killed", func(ctx context.Context) error {
		err := stack.KillPart(part)
		err = errors.Join(err, node.Pause(ctx, time.Duration(t.random.IntN(1500))*time.Millisecond))
		return errors.Join(err, stack.StartPart(ctx, part))
	}
}
