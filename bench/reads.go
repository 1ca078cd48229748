package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/bench/load"
	"svc/bench/node"
)

const (
	// connections is how many requests are under way at a time.
	connections = 16
	// rounds is how often each server has its turn; they alternate, so that neither has the better time of it.
	rounds = 3
)

// traffic is one kind of read.
type traffic struct {
	name     string
	requests []load.Request
}

// reads measures kinds of reads on an edge, each against a server that answers as many bytes without looking.
func reads(ctx context.Context, b *Bench) error {
	c, err := b.loadCorpus(ctx, 1, b.sized(10_000, 600))
	if err != nil {
		return err
	}
	kinds, err := b.traffic(ctx, c)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if err := b.against(ctx, kind, uncached); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	for _, kind := range []traffic{
		{"list, first 25, cached", kinds[0].requests},
		{"entry by slug, cached", kinds[5].requests[:min(200, len(c.slugs))]},
	} {
		if err := b.against(ctx, kind, cached); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	return nil
}

// The edges of the stack: one keeps answers, one makes all of them.
const (
	cached   = "edge-1"
	uncached = "edge-2"
)

// traffic makes the requests of every kind.
func (b *Bench) traffic(ctx context.Context, c *corpus) ([]traffic, error) {
	list := node.List(c.project, articles)
	var slugs, ids, pinned, unchanged, second []load.Request
	for i, slug := range c.slugs {
		slugs = append(slugs, ok(node.Single(c.project, articles, slug)))
		ids = append(ids, ok(node.Single(c.project, articles, c.ids[i])))
		pinned = append(pinned, ok(node.Single(c.project, articles, slug)+"?at=1"))
	}
	edge := b.node("edge-1")
	for _, r := range slugs[:min(200, len(slugs))] {
		answer, err := edge.Get(ctx, r.Path)
		if err != nil {
			return nil, err
		}
		unchanged = append(unchanged, load.Request{Path: r.Path, Status: http.StatusNotModified,
			Header: map[string]string{"If-None-Match": answer.Header.Get("Etag")}})
	}
	err := edge.Walk(ctx, c.project, articles, nil, func(_ node.Answer, page node.Page) error {
		if page.Next != "" {
			second = append(second, ok(list+"?cursor="+page.Next))
		}
		return nil
	})
	return []traffic{
		{"list, first 25", []load.Request{ok(list)}},
		{"list, first 100", []load.Request{ok(list + "?limit=100")}},
		{"list, any page of 25", second},
		{"list, first 25 at a pin", []load.Request{ok(list + "?at=1")}},
		{"list, first 25 in gzip", []load.Request{{Path: list, Status: http.StatusOK, Header: map[string]string{"Accept-Encoding": "gzip"}}}},
		{"entry by slug", slugs},
		{"entry by id", ids},
		{"entry by slug at a pin", pinned},
		{"entry unchanged (304)", unchanged},
	}, err
}

func ok(path string) load.Request { return load.Request{Path: path, Status: http.StatusOK} }

// against runs an edge and the constant server in turns and reports the ratio.
func (b *Bench) against(ctx context.Context, kind traffic, part string) (err error) {
	edge := strings.TrimPrefix(b.stack.URL(part), "http://")
	trial, err := b.drive(ctx, edge, kind, time.Second/2)
	if err != nil {
		return err
	}
	size := int(trial.Bytes / int64(trial.Requests))
	server, err := startConstant(size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	baseline := traffic{kind.name, []load.Request{ok("/")}}
	if size == 0 {
		baseline.requests[0].Status = http.StatusNotModified
	}
	turn := time.Duration(b.sized(3_000, 300)) * time.Millisecond
	var ours, theirs []load.Result
	for range b.sized(rounds, 1) {
		constant, err := b.drive(ctx, server.address, baseline, turn)
		if err != nil {
			return err
		}
		result, err := b.drive(ctx, edge, kind, turn)
		if err != nil {
			return err
		}
		ours, theirs = append(ours, result), append(theirs, constant)
	}
	mine, base := mean(ours), mean(theirs)
	b.Report.add(kind.name, mine.PerSecond/base.PerSecond, Ratio).
		noted("of %.0f/s for a constant answer of %d bytes; edge %.0f/s, p50 %.2f ms, p99 %.2f ms",
			base.PerSecond, size, mine.PerSecond, milliseconds(mine.P50), milliseconds(mine.P99))
	return nil
}

func (b *Bench) drive(ctx context.Context, address string, kind traffic, d time.Duration) (load.Result, error) {
	return load.Run(ctx, load.Config{Address: address, Requests: kind.requests, Connections: connections, Warmup: d / 5, Duration: d})
}

func mean(results []load.Result) load.Result {
	var out load.Result
	for _, r := range results {
		out.PerSecond += r.PerSecond / float64(len(results))
		out.P50 += r.P50 / time.Duration(len(results))
		out.P99 += r.P99 / time.Duration(len(results))
	}
	return out
}
