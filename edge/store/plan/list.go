package plan

import (
	"cmp"
	"context"
	"math"
	"sync"
	"sync/atomic"

	"svc/edge/store/column"
	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/schema"
)

// Collection is one collection as lists read it. It belongs to a moment of the project.
type Collection struct {
	Number      uint32
	Definitions map[index.Name]*index.Definition // those that are built
	Ranked      atomic.Bool                      // entries have ranks, or had; set before readers can see the first
	Recent      *Recent                          // what their words are not indexed of
	searchable  sync.Map                         // *schema.Collection: []searched
}

// definition returns what a field is indexed under, nil where that is not built.
func (c *Collection) definition(f *schema.Field) *index.Definition {
	return c.Definitions[index.ValuesOf(f)]
}

// Moment is what a list reads.
type Moment struct {
	Reader  *snapshot.Reader
	Head    uint64            // number of the newest release
	Changes *snapshot.Changes // what changed collections last
}

// Engine runs lists. It is shared by all requests.
type Engine struct {
	sets    snapshot.SetCache
	columns *column.Cache
	slots   chan struct{} // bounds the expensive lists that run at once
	costs   Costs
}

// expensiveLists is how many expensive lists run at once; others wait.
const expensiveLists = 2

// New makes an engine whose lists keep sets and columns in caches.
func New(sets snapshot.SetCache, columns *column.Cache, c Costs) *Engine {
	return &Engine{sets: sets, columns: columns, slots: make(chan struct{}, expensiveLists), costs: c}
}

// List makes one page.
func (e *Engine) List(ctx context.Context, m Moment, c *Collection, q *read.ListQuery) (read.Page, error) {
	x := e.execution(ctx, m, c, q)
	defer x.free()
	x.limit, x.most = max(1, q.Limit), cmp.Or(q.Bytes, math.MaxInt)
	if q.Order.IsDefault() {
		var err error
		if x.after, err = positionAfter(q.After); err != nil {
			return read.Page{}, err
		}
	}
	x.begin()
	if err := x.run(); err != nil {
		return read.Page{}, fault.Wrap(err, "list entries")
	}
	if x.sorted != nil {
		return *x.sorted, nil
	}
	return x.page.Rows(), nil
}

func (e *Engine) execution(ctx context.Context, m Moment, c *Collection, q *read.ListQuery) *execution {
	x := executions.Get().(*execution)
	x.engine, x.ctx, x.moment, x.r, x.collection, x.c, x.q = e, ctx, m, m.Reader, c, c.Number, q
	return x
}

// positionAfter is where a list in the default order goes on; nil: it begins at the front.
func positionAfter(key *read.Key) (*layout.Position, error) {
	if key == nil {
		return nil, nil
	}
	e, ok := content.Bytes(key.Entry)
	if !ok || key.Missing != (key.Value == "") {
		return nil, fault.Invalid("cursor", "is not a position in this list")
	}
	return &layout.Position{Rank: key.Value, Entry: e}, nil
}

// Costs decide between the ways to a page. Tests make every way meet small data.
type Costs struct {
	Way    Way
	Budget func(steps int) int // of a walk, before all candidates are looked at
	// Arranged is how many entries of a collection may have a rank for their order to be remembered.
	Arranged int
}

// Way says how a page is found.
type Way byte

const (
	ByCost        Way = iota
	AlwaysWalk        // along the order, whatever it costs
	AlwaysCollect     // by looking at all candidates
)

// DefaultCosts are those of production.
func DefaultCosts() Costs {
	return Costs{Budget: func(steps int) int { return steps }, Arranged: 4096}
}
