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

// memoryLimit is the most that an edge with 100,000 articles may keep resident, in MiB: 500 MB.
const memoryLimit = 500e6 / (1 << 20)

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
	r, err := b.resident(name)
	if err != nil {
		return err
	}
	b.Report.add(fmt.Sprintf("%s, resident with %s idle connections", name, thousands(n)), r.Now, Mebibytes).atMost(connectionsLimit)
	return nil
}

// resident is what a part of the stack keeps resident.
func (b *Bench) resident(name string) (process.Resident, error) {
	pid, err := b.stack.Pid(name)
	if err != nil {
		return process.Resident{}, err
	}
	return process.ResidentOf(pid)
}

// measure crawls one edge and reports what it keeps resident.
func (b *Bench) measure(ctx context.Context, c *corpus, name, how string) error {
	before, err := b.resident(name)
	if err != nil {
		return err
	}
	began := time.Now()
	pages, highest, err := b.crawl(ctx, c, name)
	if err != nil {
		return err
	}
	after, err := b.resident(name)
	if err != nil {
		return err
	}
	b.Report.add(fmt.Sprintf("%s (%s), resident before the crawl", name, how), before.Now, Mebibytes)
	b.Report.add(fmt.Sprintf("%s (%s), resident after it", name, how), after.Now, Mebibytes).atMost(memoryLimit).
		noted("%d pages in %.0f s", pages, time.Since(began).Seconds())
	b.Report.add(fmt.Sprintf("%s (%s), most during it", name, how), max(before.Now, highest, after.Now), Mebibytes).atMost(memoryLimit)
	b.Report.add(fmt.Sprintf("%s (%s), most since its start", name, how), after.Peak, Mebibytes)
	return nil
}

// crawl reads the whole list of an edge in pages of several sizes, and the list at a few pins. It counts the pages, and looks after each
// hundred what is resident: the most of it, in MiB.
func (b *Bench) crawl(ctx context.Context, c *corpus, name string) (pages int, highest float64, err error) {
	b.progress("crawling %s", name)
	queries := []url.Values{{"limit": {"100"}}, {"limit": {"25"}}}
	for _, pin := range spread(c.releases, 3) {
		queries = append(queries, url.Values{"limit": {"100"}, "at": {strconv.FormatUint(pin, 10)}})
	}
	for _, query := range queries {
		err := b.node(name).Walk(ctx, c.project, articles, query, func(node.Answer, node.Page) error {
			pages++
			if pages%100 != 0 {
				return nil
			}
			r, err := b.resident(name)
			highest = max(highest, r.Now)
			return err
		})
		if err != nil {
			return pages, highest, err
		}
	}
	return pages, highest, nil
}
