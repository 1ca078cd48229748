package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"svc/bench/node"
)

// crowd is readers of lists and of entries on some nodes. Each holds every answer against the release that the answer
// names, which must be one of the editions.
type crowd struct {
	project  string
	editions map[uint64]*edition
	newest   uint64
	// enough is how many reads each group is to make.
	enough int
	groups []*readerGroup
	mu     sync.Mutex
	first  map[string]time.Time // when the newest edition was first seen, by node
}

// readerGroup is the readers of one kind on one node.
type readerGroup struct {
	kind string
	node node.Node
	pace *rate.Limiter
	// reads counts answers; later those of the newest edition; during those between the first read and that.
	reads, later, during atomic.Int64
	crowd                *crowd
}

const (
	listReads  = "list reads"
	entryReads = "entry reads"

	// readers are how many make up a group, readRate how many reads a second they make together at most.
	readers  = 2
	readRate = 1_500
)

func newCrowd(nodes []node.Node, project string, editions map[uint64]*edition, enough int) *crowd {
	c := &crowd{project: project, editions: editions, enough: enough, first: map[string]time.Time{}}
	for number := range editions {
		c.newest = max(c.newest, number)
	}
	for _, n := range nodes {
		for _, kind := range []string{listReads, entryReads} {
			c.groups = append(c.groups, &readerGroup{kind: kind, node: n, pace: rate.NewLimiter(readRate, 50), crowd: c})
		}
	}
	return c
}

// start lets everyone read until reading ends. An answer that fits no release ends the group with an error.
func (c *crowd) start(reading context.Context, group *errgroup.Group) {
	for _, g := range c.groups {
		for i := range readers {
			random := rand.New(rand.NewPCG(uint64(i), 7))
			group.Go(func() error {
				var err error
				if g.kind == listReads {
					err = g.walk(reading, random)
				} else {
					err = g.pick(reading, random)
				}
				if reading.Err() != nil {
					return nil
				}
				return err
			})
		}
	}
}

// await waits until a condition holds for every group.
func (c *crowd) await(ctx context.Context, holds func(*readerGroup) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, fmt.Errorf("not within two minutes"))
	defer cancel()
	return node.Until(ctx, func(context.Context) error {
		for _, g := range c.groups {
			if !holds(g) {
				return fmt.Errorf("%s on %s: %d, of them %d of release %d", g.kind, g.node.Name, g.reads.Load(), g.later.Load(), c.newest)
			}
		}
		return nil
	})
}

func (c *crowd) seen(node string) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first[node]
}

// get makes one read and finds the edition that the answer names. A reader never goes back in time.
func (g *readerGroup) get(ctx context.Context, path string, last *uint64) (node.Answer, *edition, error) {
	if err := g.pace.Wait(ctx); err != nil {
		return node.Answer{}, nil, err
	}
	answer, err := g.node.Get(ctx, path)
	if err != nil {
		return answer, nil, err
	}
	e := g.crowd.editions[answer.Release]
	if e == nil {
		return answer, nil, fmt.Errorf("%s: %s answers %d of release %d", g.node.Name, path, answer.Status, answer.Release)
	}
	g.count(answer.Release)
	if last != nil {
		if answer.Release < *last {
			return answer, nil, fmt.Errorf("%s: %s answers of release %d after one of %d", g.node.Name, path, answer.Release, *last)
		}
		*last = answer.Release
	}
	return answer, e, nil
}

func (g *readerGroup) count(release uint64) {
	g.reads.Add(1)
	if release != g.crowd.newest {
		g.during.Add(1)
		return
	}
	if g.later.Add(1) == 1 {
		g.crowd.mu.Lock()
		defer g.crowd.mu.Unlock()
		if at, ok := g.crowd.first[g.node.Name]; !ok || time.Now().Before(at) {
			g.crowd.first[g.node.Name] = time.Now()
		}
	}
}

// walk reads the list from its start to its end, over and over, and every fourth time at a pin.
func (g *readerGroup) walk(ctx context.Context, random *rand.Rand) error {
	limits := []int{10, 25, 50, 100}
	last := uint64(0)
	for round := 0; ; round++ {
		query := url.Values{}
		newest := &last
		if round%4 == 3 {
			query.Set("at", "1")
			newest = nil
		}
		from := ""
		for {
			limit := limits[random.IntN(len(limits))]
			query.Set("limit", strconv.Itoa(limit))
			answer, e, err := g.get(ctx, node.List(g.crowd.project, items)+"?"+query.Encode(), newest)
			if err != nil {
				return err
			}
			page, err := answer.Page()
			if err != nil {
				return err
			}
			if err := e.fits(page, from, limit); err != nil {
				return fmt.Errorf("%s: %s of release %d: %w", g.node.Name, answer.Path, answer.Release, err)
			}
			if page.Next == "" {
				break
			}
			from = page.Entries[len(page.Entries)-1].ID
			query.Set("cursor", page.Next)
		}
	}
}

// fits tells whether a page is exactly what the edition has after an id.
func (e *edition) fits(page node.Page, after string, limit int) error {
	start := 0
	if after != "" {
		start, _ = slices.BinarySearchFunc(e.ids, after, func(id, after string) int { return strings.Compare(after, id) })
		if start < len(e.ids) && e.ids[start] == after {
			start++
		}
	}
	want := e.ids[start:min(start+limit, len(e.ids))]
	if len(page.Entries) != len(want) {
		return fmt.Errorf("%d entries, not %d", len(page.Entries), len(want))
	}
	for i, got := range page.Entries {
		if got.ID != want[i] {
			return fmt.Errorf("entry %d is %s, not %s", i, got.ID, want[i])
		}
		if err := e.holds(got); err != nil {
			return err
		}
	}
	if more := start+limit < len(e.ids); more != (page.Next != "") {
		return fmt.Errorf("there is more: %v, the answer's cursor: %q", more, page.Next)
	}
	return nil
}

// holds tells whether an entry reads as the edition has it.
func (e *edition) holds(got node.Entry) error {
	var fields item
	if err := json.Unmarshal(got.Fields, &fields, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	want, ok := e.byID[got.ID]
	if !ok || fields != want || got.Slug == nil || *got.Slug != want.Slug {
		return fmt.Errorf("%s reads %.200s, not generation %d", got.ID, got.Fields, want.Generation)
	}
	return nil
}

// pick reads entries at random, by slug and by id, also such as are not there.
func (g *readerGroup) pick(ctx context.Context, random *rand.Rand) error {
	type ref struct{ slug, id string }
	known := map[string]ref{}
	for _, e := range g.crowd.editions {
		for slug, id := range e.bySlug {
			known[id] = ref{slug, id}
		}
	}
	refs := make([]ref, 0, len(known))
	for _, r := range known {
		refs = append(refs, r)
	}
	last := uint64(0)
	for round := 0; ; round++ {
		r := refs[random.IntN(len(refs))]
		name := r.slug
		if round%2 == 1 {
			name = r.id
		}
		path, newest := node.Single(g.crowd.project, items, name), &last
		if round%8 == 7 {
			path, newest = path+"?at=1", nil
		}
		answer, e, err := g.get(ctx, path, newest)
		if err != nil {
			return err
		}
		if _, live := e.byID[r.id]; !live {
			if answer.Status != http.StatusNotFound {
				return fmt.Errorf("%s: %s of release %d answers %d", g.node.Name, path, answer.Release, answer.Status)
			}
			continue
		}
		got, err := answer.Entry()
		if err == nil && got.ID != r.id {
			err = fmt.Errorf("it is the entry %s", got.ID)
		}
		if err == nil {
			err = e.holds(got)
		}
		if err != nil {
			return fmt.Errorf("%s: %s of release %d: %w", g.node.Name, path, answer.Release, err)
		}
	}
}
