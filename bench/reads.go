package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/bench/load"
	"svc/bench/node"
)

const (
	// connections is how many requests are under way at a time.
	connections = 16
	// rounds is how often each of two servers, or kinds of reads, has its turn.
	rounds = 3
)

// traffic is one kind of read, and how many connections send it where that is not the usual number.
type traffic struct {
	name        string
	requests    []load.Request
	connections int
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
		{name: "list, first 25, cached", requests: kinds[0].requests},
		{name: "entry by slug, cached", requests: kinds[5].requests[:min(200, len(c.slugs))]},
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
		{name: "list, first 25", requests: []load.Request{ok(list)}},
		{name: "list, first 100", requests: []load.Request{ok(list + "?limit=100")}},
		{name: "list, any page of 25", requests: second},
		{name: "list, first 25 at a pin", requests: []load.Request{ok(list + "?at=1")}},
		{name: "list, first 25 in gzip", requests: []load.Request{{Path: list, Status: http.StatusOK, Header: map[string]string{"Accept-Encoding": "gzip"}}}},
		{name: "entry by slug", requests: slugs},
		{name: "entry by id", requests: ids},
		{name: "entry by slug at a pin", requests: pinned},
		{name: "entry unchanged (304)", requests: unchanged},
	}, err
}

func ok(path string) load.Request { return load.Request{Path: path, Status: http.StatusOK} }

// against measures an edge against the constant server and reports the ratio.
func (b *Bench) against(ctx context.Context, kind traffic, part string) error {
	v, err := b.versusConstant(ctx, kind, part)
	if err != nil {
		return err
	}
	b.Report.add(kind.name, v.ratio(), Ratio).noted("%s", v)
	return nil
}

// versus is what an edge and the constant server reach with the same reads.
type versus struct {
	edge, constant load.Result
	size           int // of the constant answer, in bytes
}

func (v versus) ratio() float64 { return v.edge.PerSecond / v.constant.PerSecond }

func (v versus) String() string {
	return fmt.Sprintf("of %.0f/s for a constant answer of %d bytes; edge %.0f/s, p50 %.2f ms, p99 %.2f ms",
		v.constant.PerSecond, v.size, v.edge.PerSecond, milliseconds(v.edge.P50), milliseconds(v.edge.P99))
}

// versusConstant runs an edge in turns with a server that gives the edge's first answer to everything, in the size that its answers
// have on average.
func (b *Bench) versusConstant(ctx context.Context, kind traffic, part string) (v versus, err error) {
	edge := strings.TrimPrefix(b.stack.URL(part), "http://")
	trial, err := b.drive(ctx, edge, kind, time.Second/2)
	if err != nil {
		return v, err
	}
	v.size = int(trial.Bytes / int64(trial.Requests))
	var headers []node.Header
	for name, value := range kind.requests[0].Header {
		headers = append(headers, node.Header{Name: name, Value: value})
	}
	first, err := b.node(part).Get(ctx, kind.requests[0].Path, headers...)
	if err != nil {
		return v, err
	}
	server, err := startConstant(constantOf(first, v.size))
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	baseline := kind
	baseline.requests = []load.Request{{Path: "/", Status: first.Status}}
	v.edge, v.constant, err = b.inTurns(ctx, edge, kind, server.address, baseline)
	return v, err
}

// inTurns sends two kinds of reads alternately, so that neither has the better time of it, and returns the median of each.
func (b *Bench) inTurns(ctx context.Context, address string, kind traffic, otherAddress string, other traffic) (one, two load.Result, err error) {
	if err := errors.Join(b.readOnce(ctx, address, kind), b.readOnce(ctx, otherAddress, other), b.awaitIdle(ctx)); err != nil {
		return one, two, err
	}
	turn := time.Duration(b.sized(1_500, 300)) * time.Millisecond
	var ones, twos []load.Result
	for range b.sized(rounds, 1) {
		if two, err = b.drive(ctx, otherAddress, other, turn); err != nil {
			return one, two, err
		}
		if one, err = b.drive(ctx, address, kind, turn); err != nil {
			return one, two, err
		}
		ones, twos = append(ones, one), append(twos, two)
	}
	return median(ones), median(twos), nil
}

// readOnce has an edge take the project into its memory, where it may find words of it to be indexed.
func (b *Bench) readOnce(ctx context.Context, address string, kind traffic) error {
	_, err := node.Node{Name: address, URL: "http://" + address}.Get(ctx, kind.requests[0].Path)
	return err
}

// longestTurn is how many times as long as it should a turn lasts at most, on a machine that is too busy to answer anything before.
const longestTurn = 16

// drive sends one kind of read for a while, or for longer where nothing is answered within it.
func (b *Bench) drive(ctx context.Context, address string, kind traffic, d time.Duration) (r load.Result, err error) {
	for factor := time.Duration(1); factor <= longestTurn; factor *= 2 {
		r, err = load.Run(ctx, load.Config{Address: address, Requests: kind.requests, Turn: load.Turn{
			Connections: cmp.Or(kind.connections, connections), Warmup: d / 5, Duration: d * factor,
		}})
		if !errors.Is(err, load.ErrUnanswered) {
			break
		}
	}
	return r, err
}

// median is the result with the median rate.
func median(results []load.Result) load.Result {
	slices.SortFunc(results, func(a, b load.Result) int { return cmp.Compare(a.PerSecond, b.PerSecond) })
	return results[len(results)/2]
}
