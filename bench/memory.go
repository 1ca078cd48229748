package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svc/bench/node"
	"svc/deploy/local/process"
)

// memoryLimit is the most that an edge with 100,000 articles may keep resident, in MiB: 400 MB.
const memoryLimit = 400e6 / (1 << 20)

// connectionsLimit is the most that a node may keep resident with 10,000 idle connections, in MiB.
const connectionsLimit = 512

// memory crawls all lists on an edge that followed every release and on one that has just loaded a snapshot, and reads
// from the kernel what they keep resident.
func memory(ctx context.Context, b *Bench) error {
	c, err := b.loadCorpus(ctx, b.corpusReleases(), b.corpusEach())
	if err != nil {
		return err
	}
	if err := b.measure(ctx, c, "edge-1", "followed"); err != nil {
		return err
	}
	if err := b.loseDisk(ctx, c, "edge-2"); err != nil {
		return err
	}
	if err := b.measure(ctx, c, "edge-2", "loaded"); err != nil {
		return err
	}
	for _, name := range []string{"edge-1", "core"} {
		if err := b.idleConnections(name); err != nil {
			return err
		}
	}
	return nil
}

// idleConnections opens many connections that say nothing, or stop in the middle of a head, and reads what a node keeps
// resident with all of them.
func (b *Bench) idleConnections(name string) error {
	n := b.sized(10_000, 500)
	address := strings.TrimPrefix(b.node(name).URL, "http://")
	for i := range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		defer conn.Close()
		if i%2 == 0 {
			if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: "); err != nil {
				return err
			}
		}
	}
	pid, err := b.stack.Pid(name)
	if err != nil {
		return err
	}
	r, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	b.Report.add(fmt.Sprintf("%s, resident with %s idle connections", name, thousands(n)), r.Now, Mebibytes).atMost(connectionsLimit)
	return nil
}

// measure crawls one edge: its whole list in pages of several sizes, and the list at a few pins.
func (b *Bench) measure(ctx context.Context, c *corpus, name, how string) error {
	pid, err := b.stack.Pid(name)
	if err != nil {
		return err
	}
	before, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	b.progress("crawling %s", name)
	began := time.Now()
	pages, highest := 0, before.Now
	crawl := func(query url.Values) error {
		return b.node(name).Walk(ctx, c.project, articles, query, func(node.Answer, node.Page) error {
			pages++
			if pages%100 != 0 {
				return nil
			}
			r, err := process.ResidentOf(pid)
			highest = max(highest, r.Now)
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
	after, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	b.Report.add(fmt.Sprintf("%s (%s), resident before the crawl", name, how), before.Now, Mebibytes)
	b.Report.add(fmt.Sprintf("%s (%s), resident after it", name, how), after.Now, Mebibytes).atMost(memoryLimit).
		noted("%d pages in %.0f s", pages, time.Since(began).Seconds())
	b.Report.add(fmt.Sprintf("%s (%s), most during it", name, how), max(highest, after.Now), Mebibytes).atMost(memoryLimit)
	b.Report.add(fmt.Sprintf("%s (%s), most since its start", name, how), after.Peak, Mebibytes)
	return nil
}
