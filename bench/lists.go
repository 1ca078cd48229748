package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"svc/bench/load"
	"svc/bench/node"
)

// lists measures lists with filters and orders on an edge, each kind in many variants and against a server that answers as
// many bytes without looking. Before it is measured, a kind is held against core and the other edge. At last it measures what
// many republishes cost.
func lists(ctx context.Context, b *Bench) error {
	releases := b.sized(5, 2)
	c, err := b.loadCorpus(ctx, releases, b.sized(2_000, 300))
	if err != nil {
		return err
	}
	// The head has edits, deletions and an arrangement that the pin does not have.
	if err := b.stir(ctx, c); err != nil {
		return err
	}
	if err := b.settle(ctx, c, b.edges()); err != nil {
		return err
	}
	for _, kind := range c.lists(uint64(releases)) {
		if err := b.list(ctx, c, kind); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	return b.republished(ctx)
}

// listKind is one kind of list: query strings that differ in the values they look for alone. One that is walked is measured
// on all its pages, others on their first.
type listKind struct {
	name    string
	queries []string
	walked  bool
}

func (b *Bench) list(ctx context.Context, c *corpus, kind listKind) error {
	matches, err := b.alike(ctx, c, kind)
	if err != nil {
		return err
	}
	made := traffic{name: fmt.Sprintf("%s (%d variants)", kind.name, len(kind.queries))}
	if kind.walked {
		made.requests, err = b.pages(ctx, c, kind.queries)
		if err != nil {
			return err
		}
		made.name = fmt.Sprintf("%s (%d pages)", kind.name, len(made.requests))
	} else {
		for _, q := range kind.queries {
			made.requests = append(made.requests, ok(node.List(c.project, articles)+"?"+q))
		}
	}
	b.progress("%s, %d rows on average", kind.name, matches)
	return b.against(ctx, made, uncached)
}

// alike compares three variants on every node, page by page but not to the end of long lists, and tells how many rows they
// have on average, 400 at most.
func (b *Bench) alike(ctx context.Context, c *corpus, kind listKind) (rows int, err error) {
	nodes := append(b.edges(), b.node("core"))
	enough := errors.New("enough pages")
	sample := 0
	for i := 0; i < len(kind.queries); i += (len(kind.queries) + 2) / 3 {
		query, err := url.ParseQuery(kind.queries[i] + "&limit=100")
		if err != nil {
			return 0, err
		}
		sample++
		pages := 0
		err = nodes[0].Walk(ctx, c.project, articles, query, func(first node.Answer, page node.Page) error {
			answers, err := node.Ask(ctx, nodes, first.Path)
			if err == nil {
				err = node.Same(answers)
			}
			rows += len(page.Entries)
			if pages++; err == nil && pages == 4 {
				err = enough
			}
			return err
		})
		if err != nil && !errors.Is(err, enough) {
			return 0, err
		}
	}
	if rows == 0 {
		return 0, errors.New("nothing is found")
	}
	return rows / sample, nil
}

// pages are the requests of walks to their ends.
func (b *Bench) pages(ctx context.Context, c *corpus, queries []string) ([]load.Request, error) {
	var all []load.Request
	for _, text := range queries {
		query, err := url.ParseQuery(text)
		if err != nil {
			return nil, err
		}
		err = b.node("edge-1").Walk(ctx, c.project, articles, query, func(a node.Answer, _ node.Page) error {
			all = append(all, ok(a.Path))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lists are the kinds that are measured, of 25 rows each.
func (c *corpus) lists(pin uint64) []listKind {
	var equal, two, three, span, pinned, found []string
	at := "&at=" + strconv.FormatUint(pin, 10)
	for i, category := range categories {
		one := "filter[category]=" + category
		equal = append(equal, one)
		pinned = append(pinned, one+at)
		two = append(two, one+"&filter[featured]=true&order=-day")
		for r := range 42 {
			three = append(three, fmt.Sprintf("%s&filter[featured]=true&filter[rating][lte]=%.1f&order=rating", one, 2+float64(r)/10))
			from := (i*42 + r) * (days - 100) / (len(categories) * 42)
			span = append(span, "filter[day][gte]="+dayAt(from)+"&filter[day][lt]="+dayAt(from+100))
		}
	}
	for i := 0; i < len(c.slugs); i += max(1, len(c.slugs)/500) {
		found = append(found, "filter[views]="+strconv.Itoa(articleAt(i, 1).Views))
	}
	return []listKind{
		{"all, default order", []string{""}, false},
		{"one category, default order", equal, false},
		{"one category and featured, newest day first", two, false},
		{"one category, featured, rated at most so, worst first", three, false},
		{"a hundred days, default order", span, false},
		{"one of all articles by a number", found, false},
		{"one category at a pin, default order", pinned, false},
		{"one category and featured at a pin, newest day first", suffixed(two, at), false},
		{"all, newest day first", []string{"order=-day"}, false},
		{"all, newest day first, any page", []string{"order=-day"}, true},
		{"all by title, any page", []string{"order=title"}, true},
		{"all at a pin, newest day first, any page", []string{"order=-day" + at}, true},
	}
}

func suffixed(queries []string, suffix string) []string {
	var out []string
	for _, q := range queries {
		out = append(out, q+suffix)
	}
	return out
}
