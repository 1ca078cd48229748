package bench

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"svc/bench/consistency"
	"svc/bench/node"
	"svc/core/client"
)

// What may pass, in milliseconds, while or after a part is away. A caller waits ten seconds for a database at most.
const (
	passedByLimit   = 10_000
	largeLimit      = 20_000
	convergeLimit   = 30_000
	refusedLimit    = 15_000
	aloneReadsLimit = 1_000
)

// faults takes parts away, one after the other, and measures how long what goes on without them takes, and coming back.
func faults(ctx context.Context, b *Bench) error {
	p, err := b.project(ctx)
	if err != nil {
		return err
	}
	stage := consistency.Stage{Client: b.client, Project: p}
	items, err := stage.First(ctx, b.sized(1_000, 100))
	if err != nil {
		return err
	}
	r := &faultsRun{Bench: b, project: p, stage: stage, items: items}
	if err := b.awaitSettled(ctx, p, consistency.Collection, 1, time.Minute); err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{r.withoutStorage, r.withoutStream, r.withoutDatabase, r.alone} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// faultsRun is a project whose releases pass the faults.
type faultsRun struct {
	*Bench
	project string
	stage   consistency.Stage
	items   map[string]consistency.Item
}

// shows measures until both edges serve a release.
func (r *faultsRun) shows(ctx context.Context, release uint64) (float64, error) {
	answered := time.Now()
	err := r.awaitHead(ctx, r.edges(), r.project, consistency.Collection, release, 5*time.Minute)
	return milliseconds(time.Since(answered)), err
}

// edit publishes an edit of one entry.
func (r *faultsRun) edit(ctx context.Context) (uint64, error) {
	id := consistency.NewContents(r.items).IDs()[0]
	written, err := r.client.PatchEntry(ctx, r.project, id, client.Patch{Data: map[string]string{"note": time.Now().String()}})
	if err != nil {
		return 0, err
	}
	out, err := r.client.Publish(ctx, r.project, string(written.ChangeSet.ID))
	if err != nil {
		return 0, err
	}
	return *out.ChangeSet.ReleaseNumber, nil
}

// withoutStorage publishes a large release, which storage would hold, while there is none.
func (r *faultsRun) withoutStorage(ctx context.Context) error {
	r.progress("without object storage")
	set, _, err := r.stage.Second(ctx, r.items)
	if err != nil {
		return err
	}
	if err := r.stack.StopPart("s3"); err != nil {
		return err
	}
	out, err := r.client.Publish(ctx, r.project, set)
	if err != nil {
		return err
	}
	took, err := r.shows(ctx, *out.ChangeSet.ReleaseNumber)
	if err != nil {
		return err
	}
	r.Report.add("without object storage: a large release is visible on both edges", took, Milliseconds).atMost(largeLimit)
	return r.stack.StartPart(ctx, "s3")
}

// withoutStream publishes while the stream is away, and brings it back with nothing in it.
func (r *faultsRun) withoutStream(ctx context.Context) error {
	r.progress("without the stream")
	if err := r.stack.KillPart("nats"); err != nil {
		return err
	}
	longest := 0.0
	for range r.sized(5, 1) {
		release, err := r.edit(ctx)
		if err != nil {
			return err
		}
		took, err := r.shows(ctx, release)
		if err != nil {
			return err
		}
		longest = max(longest, took)
	}
	r.Report.add("without the stream: visible on both edges, longest", longest, Milliseconds).atMost(passedByLimit)
	if err := r.stack.ClearPart("nats"); err != nil {
		return err
	}
	began := time.Now()
	if err := r.stack.StartPart(ctx, "nats"); err != nil {
		return err
	}
	release, err := r.edit(ctx)
	if err != nil {
		return err
	}
	if _, err := r.shows(ctx, release); err != nil {
		return err
	}
	r.Report.add("after the stream was lost: a release is visible on both edges", milliseconds(time.Since(began)), Milliseconds).atMost(convergeLimit)
	return nil
}

// withoutDatabase has PostgreSQL hang, and measures until what needs it is refused.
func (r *faultsRun) withoutDatabase(ctx context.Context) error {
	r.progress("with a database that hangs")
	if err := r.stack.Pause("postgres"); err != nil {
		return err
	}
	core := r.node("core")
	began := time.Now()
	answer, err := core.Get(ctx, node.List(r.project, consistency.Collection))
	if err != nil {
		return err
	}
	if answer.Status != http.StatusServiceUnavailable {
		return fmt.Errorf("with a database that hangs core answers %d: %.200s", answer.Status, answer.Body)
	}
	r.Report.add("with a database that hangs: core refuses a read", milliseconds(time.Since(began)), Milliseconds).atMost(refusedLimit)
	return r.stack.Resume("postgres")
}

// alone kills everything but the edges, and measures their reads.
func (r *faultsRun) alone(ctx context.Context) error {
	r.progress("with nothing but the edges")
	for _, part := range []string{"core", "postgres", "nats", "redis", "s3"} {
		if err := r.stack.KillPart(part); err != nil {
			return err
		}
	}
	longest := 0.0
	for range 200 {
		for _, edge := range r.edges() {
			began := time.Now()
			answer, err := edge.Get(ctx, node.List(r.project, consistency.Collection))
			if err != nil {
				return err
			}
			if answer.Status != http.StatusOK {
				return fmt.Errorf("%s alone answers %d: %.200s", edge.Name, answer.Status, answer.Body)
			}
			longest = max(longest, milliseconds(time.Since(began)))
		}
	}
	r.Report.add("with nothing but the edges: a read, longest", longest, Milliseconds).atMost(aloneReadsLimit)
	return nil
}
