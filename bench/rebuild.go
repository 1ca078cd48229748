package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"svc/bench/node"
)

// rebuild deletes an edge's disk, lets another one join late, and holds every answer of both against that of an edge that
// was there all along.
func rebuild(ctx context.Context, b *Bench) error {
	c, err := b.loadCorpus(ctx, b.corpusReleases(), b.corpusEach())
	if err != nil {
		return err
	}
	if err := b.stir(ctx, c); err != nil {
		return err
	}
	if err := b.settle(ctx, c, b.edges()); err != nil {
		return err
	}
	if err := b.loseDisk(ctx, c, "edge-2"); err != nil {
		return err
	}
	if err := b.join(ctx, c, "edge-3"); err != nil {
		return err
	}
	nodes := append(b.edges(), b.node("edge-3"))
	if err := b.settle(ctx, c, nodes); err != nil {
		return err
	}
	// Without core no one can pass a read on to it: what is compared is what edges hold.
	if err := b.stack.StopPart("core"); err != nil {
		return err
	}
	return b.compareEdges(ctx, c, nodes)
}

// rebuildLimit is within how many seconds an edge with nothing serves all.
const rebuildLimit = 20

// loseDisk measures how long an edge takes from nothing.
func (b *Bench) loseDisk(ctx context.Context, c *corpus, name string) error {
	took, err := b.restartEmpty(ctx, c, name)
	if err != nil {
		return err
	}
	b.Report.add("edge with a lost disk, from start to ready", took.Seconds(), Seconds).atMost(rebuildLimit)
	return nil
}

// restartEmpty deletes the disk of an edge, and returns how long after its start it serves everything again.
func (b *Bench) restartEmpty(ctx context.Context, c *corpus, name string) (time.Duration, error) {
	if err := b.stack.StopPart(name); err != nil {
		return 0, err
	}
	if err := b.stack.ClearPart(name); err != nil {
		return 0, err
	}
	b.progress("starting %s without its disk", name)
	return b.untilServed(ctx, c, name, func() error { return b.stack.StartPart(ctx, name) })
}

func (b *Bench) join(ctx context.Context, c *corpus, name string) error {
	took, err := b.addEdge(ctx, c, name)
	if err != nil {
		return err
	}
	b.Report.add("edge that joins late, from start to ready", took.Seconds(), Seconds).atMost(rebuildLimit)
	return nil
}

// addEdge starts an edge more, and returns how long after that it serves everything.
func (b *Bench) addEdge(ctx context.Context, c *corpus, name string) (time.Duration, error) {
	b.progress("adding %s", name)
	return b.untilServed(ctx, c, name, func() error {
		_, err := b.stack.AddEdge(ctx, name)
		return err
	})
}

// untilServed starts an edge and waits until it serves the head.
func (b *Bench) untilServed(ctx context.Context, c *corpus, name string, start func() error) (time.Duration, error) {
	began := time.Now()
	if err := start(); err != nil {
		return 0, err
	}
	err := b.awaitHead(ctx, []node.Node{b.node(name)}, c.project, articles, c.releases, 2*time.Minute)
	return time.Since(began), err
}

// compareEdges asks all edges for every list page at the head and at every release, for every entry at the head, and for
// many at every release.
func (b *Bench) compareEdges(ctx context.Context, c *corpus, nodes []node.Node) error {
	b.progress("comparing every answer of %s", nodeNames(nodes))
	began := time.Now()
	cmp := &comparison{nodes: nodes}
	for pin := range c.releases + 1 {
		if err := cmp.lists(ctx, c, pin); err != nil {
			return err
		}
		if err := cmp.entries(ctx, c, pin); err != nil {
			return err
		}
		b.progress("  release %d of %d after %s", pin, c.releases, time.Since(began).Round(time.Second))
	}
	b.Report.add("list pages equal, bytes and ETag", float64(cmp.listed), Count).noted("the head and %d pins on %d edges", c.releases, len(nodes))
	b.Report.add("entries equal, bytes and ETag", float64(cmp.singles), Count).noted("every one at the head, of %d pins every %dth", c.releases, sampleEvery)
	b.Report.add("answers that say there is no such entry", float64(cmp.absent), Count)
	b.Report.add("comparison", time.Since(began).Seconds(), Seconds)
	return nil
}

// sampleEvery is which entries are compared at each pin, besides those that changed since their first release.
const sampleEvery = 50

// comparison asks several nodes the same and counts what was equal.
type comparison struct {
	nodes                   []node.Node
	listed, singles, absent int
}

func (m *comparison) same(ctx context.Context, path string) (node.Answer, error) {
	answers, err := node.Ask(ctx, m.nodes, path)
	if err != nil {
		return node.Answer{}, err
	}
	return answers[0], node.Same(answers)
}

// lists walks the whole list at a release, 0 being the head; a cursor of one edge leads on on all of them.
func (m *comparison) lists(ctx context.Context, c *corpus, pin uint64) error {
	query := url.Values{"limit": {"100"}}
	if pin > 0 {
		query.Set("at", strconv.FormatUint(pin, 10))
	}
	for {
		answer, err := m.same(ctx, node.List(c.project, articles)+"?"+query.Encode())
		if err != nil {
			return err
		}
		page, err := answer.Page()
		if err != nil {
			return err
		}
		m.listed++
		if page.Next == "" {
			return nil
		}
		query.Set("cursor", page.Next)
	}
}

func (m *comparison) entries(ctx context.Context, c *corpus, pin uint64) error {
	suffix := ""
	if pin > 0 {
		suffix = "?at=" + strconv.FormatUint(pin, 10)
	}
	stirred := len(c.ids) / 200 * 8
	for i, slug := range c.slugs {
		if pin > 0 && i%sampleEvery != 0 && i > stirred {
			continue
		}
		ref := slug
		if i%2 == 1 {
			ref = c.ids[i]
		}
		answer, err := m.same(ctx, node.Single(c.project, articles, ref)+suffix)
		switch {
		case err != nil:
			return err
		case answer.Status == http.StatusOK:
			m.singles++
		case answer.Status == http.StatusNotFound:
			m.absent++
		default:
			return fmt.Errorf("%s answers %d: %.200s", answer.Path, answer.Status, answer.Body)
		}
	}
	return nil
}
