package bench

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"svc/bench/node"
)

// memoryLimit is the most that an edge with 100,000 articles may keep resident, in MiB: 400 MB.
const memoryLimit = 400e6 / (1 << 20)

// memory crawls all lists on an edge that followed every release and on one that has just loaded a snapshot, and reads
// from the kernel what they keep resident.
func memory(ctx context.Context, b *Bench) error {
	c, err := b.loadCorpus(ctx, b.sized(10, 3), b.sized(10_000, 600))
	if err != nil {
		return err
	}
	if err := b.measure(ctx, c, "edge-1", "followed"); err != nil {
		return err
	}
	if err := b.loseDisk(ctx, c, "edge-2"); err != nil {
		return err
	}
	return b.measure(ctx, c, "edge-2", "loaded")
}

// measure crawls one edge: its whole list in pages of several sizes, and the list at a few pins.
func (b *Bench) measure(ctx context.Context, c *corpus, name, how string) error {
	pid, err := b.stack.Pid(name)
	if err != nil {
		return err
	}
	before, err := residentOf(pid)
	if err != nil {
		return err
	}
	b.say("crawling %s", name)
	began := time.Now()
	pages, highest := 0, before.now
	crawl := func(query url.Values) error {
		return b.node(name).Walk(ctx, c.project, articles, query, func(node.Answer, node.Page) error {
			pages++
			if pages%100 != 0 {
				return nil
			}
			r, err := residentOf(pid)
			highest = max(highest, r.now)
			return err
		})
	}
	for _, limit := range []string{"100", "25"} {
		if err := crawl(url.Values{"limit": {limit}}); err != nil {
			return err
		}
	}
	for _, pin := range spread(c.releases, 3) {
		if err := crawl(url.Values{"limit": {"100"}, "at": {strconv.FormatUint(pin, 10)}}); err != nil {
			return err
		}
	}
	after, err := residentOf(pid)
	if err != nil {
		return err
	}
	b.Report.add(fmt.Sprintf("%s (%s), resident before the crawl", name, how), before.now, Mebibytes)
	b.Report.add(fmt.Sprintf("%s (%s), resident after it", name, how), after.now, Mebibytes).atMost(memoryLimit).
		noted("%d pages in %.0f s", pages, time.Since(began).Seconds())
	b.Report.add(fmt.Sprintf("%s (%s), most during it", name, how), max(highest, after.now), Mebibytes).atMost(memoryLimit)
	b.Report.add(fmt.Sprintf("%s (%s), most since its start", name, how), after.peak, Mebibytes)
	return nil
}

// resident is a process' resident memory in MiB.
type resident struct{ now, peak float64 }

func residentOf(pid int) (resident, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return resident{}, fmt.Errorf("resident memory: %w", err)
	}
	var r resident
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		for key, field := range map[string]*float64{"VmRSS": &r.now, "VmHWM": &r.peak} {
			if name != key {
				continue
			}
			kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			if err != nil {
				return resident{}, fmt.Errorf("resident memory: %w", err)
			}
			*field = kilobytes / 1024
		}
	}
	return r, nil
}
