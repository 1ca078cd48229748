package bench

import (
	"context"
	"fmt"
	"time"

	"svc/bench/docs"
	"svc/bench/node"
)

// How many edits of the history a quick run has, and how many pages that these leave alone.
const (
	quickEdits = 30
	quickPages = 30
)

// history replays a real history through the API and holds every node at many pins, and at the head, against the source.
func history(ctx context.Context, b *Bench) error {
	h, err := docs.Load(b.Data)
	if err != nil {
		return fmt.Errorf("%w (point -data or SVC_BENCH_DATA at its directory)", err)
	}
	pins := b.sized(50, 3)
	if b.Quick {
		h = h.Beginning(quickEdits, quickPages)
	}
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	head := uint64(len(h.Edits)) + 1
	if err := b.replay(ctx, h, project, head); err != nil {
		return err
	}
	nodes := append(b.edges(), b.node("core"))
	began := time.Now()
	if err := b.awaitHead(ctx, nodes, project, docs.Collection, head, 5*time.Minute); err != nil {
		return err
	}
	b.Report.add("edges level after the last publish", time.Since(began).Seconds(), Seconds)
	return b.compare(ctx, &docs.Check{History: h, Project: project, Nodes: nodes}, head, pins)
}

func (b *Bench) replay(ctx context.Context, h *docs.History, project string, head uint64) error {
	b.progress("replaying %d pages and %d edits", len(h.Base), len(h.Edits))
	began := time.Now()
	replay, err := docs.Start(ctx, b.client, project, h)
	if err != nil {
		return err
	}
	b.Report.add("pages of the base", float64(len(h.Base)), Count)
	b.Report.add("import and publish of the base", time.Since(began).Seconds(), Seconds)
	began = time.Now()
	for more := true; more; {
		var release uint64
		if release, more, err = replay.Next(ctx); err != nil {
			return err
		}
		if release%100 == 0 {
			b.progress("  release %d of %d after %s", release, head, time.Since(began).Round(time.Second))
		}
	}
	b.Report.add("edits, one release each", float64(len(h.Edits)), Count)
	b.Report.add("replay of the edits", time.Since(began).Seconds(), Seconds).
		noted("%.1f releases a second", float64(len(h.Edits))/time.Since(began).Seconds())
	return nil
}

// compare reads everything at every pin, and once in each locale.
func (b *Bench) compare(ctx context.Context, check *docs.Check, head uint64, pins int) error {
	releases := spread(head, pins)
	b.progress("comparing %d pins and the head on %d nodes", len(releases), len(check.Nodes))
	sites := check.History.At(append(releases, head))
	locales := check.History.Locales()
	began := time.Now()
	for i, pin := range releases {
		if err := check.At(ctx, sites[pin], pin); err != nil {
			return err
		}
		if err := check.Locale(ctx, sites[pin], pin, locales[i%len(locales)]); err != nil {
			return err
		}
		if i%10 == 9 {
			b.progress("  pin %d of %d after %s", i+1, len(releases), time.Since(began).Round(time.Second))
		}
	}
	if err := check.At(ctx, sites[head], 0); err != nil {
		return err
	}
	for _, locale := range locales {
		if err := check.Locale(ctx, sites[head], 0, locale); err != nil {
			return err
		}
	}
	b.Report.add("pins compared, besides the head", float64(len(releases)), Count)
	b.Report.add("locales compared at the head", float64(len(locales)), Count)
	b.Report.add("answers equal to the source", float64(check.Reads), Count).noted("%s", nodeNames(check.Nodes))
	b.Report.add("bytes of them", float64(check.Bytes)/(1<<20), Mebibytes)
	b.Report.add("comparison", time.Since(began).Seconds(), Seconds)
	return b.withoutCore(ctx, check, head, releases, sites)
}

// withoutCore compares some pins once more while core is down, so that edges can pass no read on.
func (b *Bench) withoutCore(ctx context.Context, check *docs.Check, head uint64, releases []uint64, sites map[uint64]docs.Site) error {
	if err := b.stack.StopPart("core"); err != nil {
		return err
	}
	alone := &docs.Check{History: check.History, Project: check.Project, Nodes: b.edges()}
	for _, pin := range []uint64{releases[0], releases[len(releases)/2], releases[len(releases)-1]} {
		if err := alone.At(ctx, sites[pin], pin); err != nil {
			return err
		}
	}
	if err := alone.At(ctx, sites[head], 0); err != nil {
		return err
	}
	b.Report.add("answers equal to the source, with core down", float64(alone.Reads), Count).noted("%s", nodeNames(alone.Nodes))
	return nil
}

// spread picks n releases from the first to the newest, evenly.
func spread(head uint64, n int) []uint64 {
	var out []uint64
	for i := range n {
		pin := 1 + uint64(i)*(head-1)/uint64(max(n-1, 1))
		if len(out) == 0 || pin > out[len(out)-1] {
			out = append(out, pin)
		}
	}
	return out
}

func nodeNames(nodes []node.Node) string {
	names := ""
	for i, n := range nodes {
		if i > 0 {
			names += ", "
		}
		names += n.Name
	}
	return names
}
