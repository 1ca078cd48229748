package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/load"
	"svc/bench/node"
	"svc/bench/table"
	"svc/deploy/local/process"
)

// manyConnections is how many connections send single entries.
const manyConnections = 64

// overHTTP measures the rows of edges: streams on one that has nothing else, the others on edges that followed the documents.
func (p *performanceRun) overHTTP(ctx context.Context) error {
	idle := p.each(ctx, []tableStep{{"idle connections", p.idleStreams}})
	c, err := loadRows(ctx, p.Bench, jsontext.Value(table.Schema), p.corpusReleases(), p.documents)
	if err != nil {
		return errors.Join(idle, err)
	}
	return errors.Join(idle, p.each(ctx, []tableStep{
		{"cached responses", func(ctx context.Context) error { return p.cachedResponses(ctx, c) }},
		{"entries by slug", func(ctx context.Context) error { return p.bySlug(ctx, c) }},
		{"coded lists", func(ctx context.Context) error { return p.coded(ctx, c) }},
		{"resident memory", func(ctx context.Context) error { return p.residentAfter(ctx, c) }},
		{"new edges", func(ctx context.Context) error { return p.newEdges(ctx, c) }},
	}))
}

// documents are those of the next release. Each but those of the first refers to an earlier one.
func (p *performanceRun) documents(c *corpus) iter.Seq[table.Document] {
	first, earlier := len(c.ids), slices.Clone(c.ids)
	return func(yield func(table.Document) bool) {
		for n := first; n < first+p.corpusEach(); n++ {
			d := table.At(n, 1)
			if len(earlier) > 0 {
				d.Next = earlier[n*31%len(earlier)]
			}
			if !yield(d) {
				return
			}
		}
	}
}

func (p *performanceRun) idleStreams(ctx context.Context) error {
	if _, err := p.stack.AddEdge(ctx, roomy); err != nil {
		return err
	}
	l, err := p.openStreams(ctx, p.node(roomy))
	defer l.close()
	if err != nil {
		return err
	}
	p.Report.addRow(workStreams, l.added()/1e6, "%s streams, on top of %.0f MB; %.1f kB each", thousands(len(l.streams)), megabytes(l.before.Now),
		l.added()/1e3/float64(len(l.streams)))
	return p.stack.RemoveEdge(roomy)
}

func megabytes(mebibytes float64) float64 { return mebibytes * (1 << 20) / 1e6 }

func (p *performanceRun) cachedResponses(ctx context.Context, c *corpus) error {
	path := node.Single(c.project, articles, c.slugs[0]) + "?fields=body"
	return p.versusRow(ctx, workCached, cached, []load.Request{ok(path)})
}

func (p *performanceRun) bySlug(ctx context.Context, c *corpus) error {
	var all []load.Request
	for _, slug := range c.slugs {
		all = append(all, ok(node.Single(c.project, articles, slug)))
	}
	return p.versusRow(ctx, workSlug, uncached, all)
}

func (p *performanceRun) versusRow(ctx context.Context, work, part string, requests []load.Request) error {
	v, err := p.versusConstant(ctx, traffic{name: work, requests: requests, connections: manyConnections}, part)
	if err != nil {
		return err
	}
	p.Report.addRow(work, v.ratio(), "%s", v).inGets(eachOf(v.edge), p.get)
	return nil
}

// eachOf is the time of a read of a saturated edge.
func eachOf(r load.Result) time.Duration { return time.Duration(float64(time.Second) / r.PerSecond) }

// coded measures lists in each coding against the same lists as they are.
func (p *performanceRun) coded(ctx context.Context, c *corpus) error {
	edge := strings.TrimPrefix(p.stack.URL(uncached), "http://")
	plain := traffic{name: "identity"}
	for _, q := range table.Walked() {
		plain.requests = append(plain.requests, ok(table.Path(c.project, q, 0)))
	}
	var ratio float64
	var slowest load.Result
	var notes []string
	for _, coding := range []string{"gzip", "zstd"} {
		kind := traffic{name: coding}
		for _, r := range plain.requests {
			kind.requests = append(kind.requests, load.Request{Path: r.Path, Status: http.StatusOK, Header: map[string]string{"Accept-Encoding": coding}})
		}
		made, base, err := p.inTurns(ctx, edge, kind, edge, plain)
		if err != nil {
			return err
		}
		notes = append(notes, fmt.Sprintf("%s %.0f/s of %.0f/s", coding, made.PerSecond, base.PerSecond))
		if r := made.PerSecond / base.PerSecond; ratio == 0 || r < ratio {
			ratio, slowest = r, made
		}
	}
	p.Report.addRow(workCoded, ratio, "the slower one; %s", strings.Join(notes, ", ")).inGets(eachOf(slowest), p.get)
	return nil
}

// residentAfter has an edge of the default configuration answer every list of the table, at the head and at a pin, and a crawl, and
// reads what it keeps resident.
func (p *performanceRun) residentAfter(ctx context.Context, c *corpus) error {
	edge := p.node(cached)
	for _, kind := range table.Kinds() {
		for _, q := range kind.Queries {
			for _, pin := range []uint64{0, c.releases} {
				answer, err := edge.Get(ctx, table.Path(c.project, q, pin))
				if err != nil {
					return err
				}
				if answer.Status != http.StatusOK {
					return fmt.Errorf("%s", answer)
				}
			}
		}
	}
	pages, highest, err := p.crawl(ctx, c, cached)
	if err != nil {
		return err
	}
	var now process.Resident
	if now, err = p.resident(cached); err != nil {
		return err
	}
	p.Report.addRow(workResident, megabytes(now.Now), "after %s pages of a crawl; at most %.0f MB during it", thousands(pages),
		megabytes(max(highest, now.Now)))
	return nil
}

// newEdges starts an edge from nothing, three times in a full run.
func (p *performanceRun) newEdges(ctx context.Context, c *corpus) error {
	const name = "edge-3"
	var took []time.Duration
	for round := range p.sized(rounds, 1) {
		start := p.restartEmpty
		if round == 0 {
			start = p.addEdge
		}
		one, err := start(ctx, c, name)
		if err != nil {
			return err
		}
		took = append(took, one)
	}
	median := percentile(took, 0.5)
	p.Report.addRow(workRebuild, median.Seconds(), "from its start until it is level, the median of %v", took).
		inGets(median/time.Duration(len(c.ids)), p.get)
	return nil
}
