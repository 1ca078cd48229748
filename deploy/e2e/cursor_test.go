package e2e

import (
	"context"
	"math/rand/v2"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"svc/deploy/local/localtest"
	"svc/shared/testrand"
)

const cursorEntries = 240

var (
	cursorReleases = localtest.Size(150, 1_000)
	// cursorWalks is how many walks must have had releases land between their first page and their last.
	cursorWalks = localtest.Size(5, 50)
)

// TestPagesWhileReleasesLand: readers walk a list by its cursors, as it is arranged, filtered, and in the order of a field that
// releases change, each page from another edge than the one before or from core, while releases change, add and take
// away entries and editors move some. No row that is the same at all releases a walk saw is skipped or repeated, each row
// reads as of the release that its page names, and a walk at a pin reads that release.
func TestPagesWhileReleasesLand(t *testing.T) {
	b := newBed(t, posts)
	random := testrand.New(t)
	l := newLandings(b, cursorEntries)
	b.agree([]string{"posts"}, b.edges()...) // on release 1, and on the order, which reaches edges later

	const readers, writers = 4, 4
	group, ctx := errgroup.WithContext(t.Context())
	landed, done := context.WithCancel(ctx)
	var left atomic.Int64
	left.Store(int64(cursorReleases))
	writing, writingCtx := errgroup.WithContext(ctx)
	for n := range writers {
		w := l.writer(n, writers, rand.New(rand.NewPCG(random.Uint64(), 1)))
		writing.Go(func() error {
			for left.Add(-1) >= 0 {
				if err := w.release(writingCtx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	movers := rand.New(rand.NewPCG(random.Uint64(), 2))
	group.Go(func() error { return l.rearrange(landed, movers) })
	group.Go(func() error { defer done(); return writing.Wait() })
	strollers := make([]stroller, readers)
	for n := range strollers {
		strollers[n] = stroller{landings: l, random: rand.New(rand.NewPCG(random.Uint64(), 3))}
		group.Go(func() error { return strollers[n].stroll(ctx, landed) })
	}
	b.check(group.Wait())

	crossed, all := 0, 0
	for i := range strollers {
		b.check(strollers[i].settle())
		crossed, all = crossed+strollers[i].crossed, all+strollers[i].walks
	}
	releases, beyond := l.known()
	t.Logf("%d walks, %d of them over several releases, %d releases", all, crossed, releases)
	if want := uint64(cursorReleases) + 1; releases != want || beyond > 0 {
		t.Errorf("releases 1 to %d are published, and %d beyond, not 1 to %d", releases, beyond, want)
	}
	if crossed < cursorWalks {
		t.Errorf("only %d walks had releases land meanwhile, not %d", crossed, cursorWalks)
	}
	b.await(releases, "posts", b.edges()...)
	b.agree([]string{"posts"}, b.edges()...)
}

// walked is what one walk saw: the releases that its pages named, and the rows.
type walked struct {
	pin, first, last uint64 // pin is 0 where the head was read
	way              way
	rows             []row
}

// way is how a list was asked for: from a rating on, and in the order of ratings, ascending for 1 and descending for -1.
type way struct {
	least, order int
}

type row struct {
	id      string
	rating  int
	release uint64
}

// stroller walks the list.
type stroller struct {
	*landings
	random         *rand.Rand
	open           []walked // those that saw a release of which it is not known yet what it changed
	walks, crossed int
}

// stroll walks until all releases have landed.
func (r *stroller) stroll(ctx, landed context.Context) error {
	for landed.Err() == nil {
		w, err := r.walk(ctx)
		if err != nil {
			return err
		}
		r.open = append(r.open, w)
		if err := r.settle(); err != nil {
			return err
		}
	}
	return nil
}

// settle holds walks against the releases that they saw, as far as those are known.
func (r *stroller) settle() error {
	complete, _ := r.known()
	var open []walked
	for _, w := range r.open {
		if w.last > complete {
			open = append(open, w)
			continue
		}
		if err := r.fits(w); err != nil {
			return err
		}
		r.walks++
		if w.first < w.last {
			r.crossed++
		}
	}
	r.open = open
	return nil
}

// walk reads the whole list in pages of a random size, now or at a release that is out.
func (r *stroller) walk(ctx context.Context) (w walked, err error) {
	query := url.Values{"limit": {strconv.Itoa(3 + r.random.IntN(20))}}
	if r.random.IntN(4) == 0 {
		w.pin = 1 + r.random.Uint64N(r.published.Load())
		query.Set("at", strconv.FormatUint(w.pin, 10))
	}
	nodes := r.edges()
	if w.way = r.drawWay(); w.way != (way{least: gone}) {
		w.way.ask(query)
		nodes = r.nodes()
	}
	for turn := r.random.IntN(2); ; turn++ {
		answer, err := nodes[turn%len(nodes)].Get(ctx, r.list("posts")+"?"+query.Encode())
		if err != nil {
			return w, err
		}
		page, err := answer.Page()
		if err != nil {
			return w, err
		}
		if w.first == 0 {
			w.first, w.last = answer.Release, answer.Release
		}
		w.first, w.last = min(w.first, answer.Release), max(w.last, answer.Release)
		for _, e := range page.Entries {
			var fields struct {
				Rating int `json:"rating"`
			}
			if err := json.Unmarshal(e.Fields, &fields); err != nil {
				return w, err
			}
			w.rows = append(w.rows, row{e.ID, fields.Rating, answer.Release})
		}
		if page.Next == "" {
			return w, nil
		}
		query.Set("cursor", page.Next)
	}
}
