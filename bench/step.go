package bench

import (
	"context"
	"fmt"
	"time"

	"svc/bench/consistency"
)

// stepSize is how many items the release has.
func (c Config) stepSize() int { return c.sized(10_000, 1_000) }

// step publishes one release of 10,000 items while readers on both edges hold every answer against the two releases.
func step(ctx context.Context, b *Bench) error {
	size := b.stepSize()
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	stage := consistency.Stage{Client: b.client, Project: project}
	b.progress("publishing %d items and staging as many changes", size)
	before, err := stage.First(ctx, size)
	if err != nil {
		return err
	}
	set, after, err := stage.Second(ctx, before)
	if err != nil {
		return err
	}
	if err := b.awaitSettled(ctx, project, consistency.Collection, 1, time.Minute); err != nil {
		return err
	}
	history := consistency.NewHistory(consistency.NewContents(before))
	history.Add(consistency.NewContents(after))
	readers := consistency.NewReaders(b.edges(), project, history, b.sized(10_000, 1_500))
	b.progress("publishing them while everyone reads")
	at, err := readers.ReadAcross(ctx, func(ctx context.Context) error {
		_, err := b.client.Publish(ctx, project, set)
		return err
	})
	if err != nil {
		return err
	}
	return b.reportStep(ctx, readers, project, size, at)
}

func (b *Bench) reportStep(ctx context.Context, readers *consistency.Readers, project string, size int, at consistency.Published) error {
	release, err := b.client.Release(ctx, project, 2)
	if err != nil {
		return err
	}
	if release.ItemCount != size {
		return fmt.Errorf("release 2 has %d items, not %d", release.ItemCount, size)
	}
	b.Report.add("items of the release", float64(size), Count).noted("85%% updates, 7.5%% creations, 7.5%% deletions")
	b.Report.add("publish", at.Answered.Sub(at.Began).Seconds(), Seconds).atMost(15)
	for _, edge := range b.edges() {
		// The release's time is taken shortly before the commit, so this is more than the time since the commit.
		seen := readers.Seen(edge.Name)
		b.Report.add("commit to visible on "+edge.Name, seen.Sub(release.PublishedAt.Time).Seconds(), Seconds).atMost(5).
			noted("%+.0f ms from the publish response", milliseconds(seen.Sub(at.Answered)))
	}
	for _, g := range readers.Groups() {
		reads, newest := g.Reads()
		b.Report.add(fmt.Sprintf("reads of %s on %s, each of one release", g.Kind, g.Node.Name), float64(reads), Count).
			noted("%d of release 2", newest)
	}
	return nil
}
