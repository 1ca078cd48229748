package store

import (
	"bytes"
	"cmp"
	"context"
	"math"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// position is an entry's place in the default order: those with a rank first, by rank and then id, and then the others,
// the greatest id first.
type position struct {
	rank  string // empty: not arranged
	entry entryID
}

// compare orders positions.
func (a *position) compare(b *position) int {
	switch {
	case a.rank == "" && b.rank == "":
		return bytes.Compare(b.entry[:], a.entry[:])
	case a.rank == "":
		return 1
	case b.rank == "":
		return -1
	case a.rank != b.rank:
		if a.rank < b.rank {
			return -1
		}
		return 1
	}
	return bytes.Compare(a.entry[:], b.entry[:])
}

// List returns rows. In the default order, without filters, a pin after which the collection was not touched reads the same as the head;
// an earlier one is walked entry by entry while that goes well, and gathered from its live set where it does not.
func (v *view) List(ctx context.Context, q read.ListQuery) (read.Page, error) {
	c := v.meta.places[q.Collection]
	if c == nil {
		return read.Page{}, nil
	}
	l := listing{view: v, c: c.number, place: c, limit: max(1, q.Limit), most: cmp.Or(q.Bytes, math.MaxInt)}
	if q.Order.IsDefault() {
		var err error
		if l.after, err = spotAfter(q.After); err != nil {
			return read.Page{}, err
		}
	}
	if !q.IsPlain() {
		page, err := l.find(ctx, &q)
		return page, fault.Wrap(err, "find entries")
	}
	page, err := l.run(ctx, q.Pin)
	return page, fault.Wrap(err, "list entries")
}

func spotAfter(key *read.Key) (*position, error) {
	if key == nil {
		return nil, nil
	}
	e, ok := content.Bytes(key.Entry)
	if !ok || key.Missing != (key.Value == "") {
		return nil, fault.Invalid("cursor", "is not a position in this list")
	}
	return &position{rank: key.Value, entry: e}, nil
}

// listing makes one page.
type listing struct {
	*view
	c     uint32
	place *collection
	after *position // nil: from the front
	limit int       // rows
	most  int       // bytes of fields, from which it is full
	page
}

// full reports whether the page takes no more rows.
func (l *listing) full() bool { return l.count() == l.limit || l.bytes >= l.most }

func (l *listing) run(ctx context.Context, pin uint64) (read.Page, error) {
	l.begin()
	if err := l.fill(ctx, pin); err != nil {
		return read.Page{}, err
	}
	return l.page.end(), nil
}

func (l *listing) begin() {
	l.page.begin(l.r)
	l.r.filing = filing{hint: &l.place.filed}
}

func (l *listing) fill(ctx context.Context, pin uint64) error {
	if pin == 0 || pin >= l.meta.head.Number {
		return l.head()
	}
	t, err := l.pinTouch(l.c, pin)
	if err != nil || t.live == 0 {
		return err
	}
	if !t.later {
		return l.head()
	}
	walk := pinWalk{listing: l, pin: pin, arranged: l.place.ranked.Load(), greatest: t.greatest, budget: l.s.cfg.tune.walkSteps(l.limit, t)}
	done, err := walk.run()
	if err != nil || done {
		return err
	}
	l.begin()
	return l.gather(ctx, t)
}

// head walks the head index.
func (l *listing) head() error {
	it, err := l.r.iterator(walking)
	if err != nil {
		return err
	}
	start := l.meta.gen.collection(nil, tableHead, l.c)
	from := start
	if l.after != nil {
		from = successor(l.meta.gen.head(nil, l.c, l.after.rank, l.after.entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if l.more = l.full(); l.more {
			return nil
		}
		s, err := spotIn(it.Key()[len(start):])
		if err != nil {
			return err
		}
		if err := l.take(&s, maxRelease); err != nil {
			return err
		}
	}
	return it.Error()
}

// take adds an entry that is known to have been live at a release.
func (l *listing) take(s *position, release uint64) error {
	d, ok, err := l.r.listed(l.c, s, release)
	if err != nil {
		return err
	}
	if !ok {
		return damaged("index: a live entry has no document")
	}
	l.add(s, &d)
	return nil
}

// spotIn reads what follows the collection in a key of tableHead.
func spotIn(b []byte) (s position, err error) {
	switch {
	case len(b) == 17 && b[0] == headUnranked:
		return position{entry: entryIn(b[1:])}, nil
	case len(b) > 17 && b[0] == headRanked:
		return rankedIn(b[1:])
	}
	return s, damaged("place in a list")
}

// rankedIn reads a rank and the entry that follows it.
func rankedIn(b []byte) (s position, err error) {
	rank, rest, ok := cutRank(nil, b)
	if !ok || len(rest) != len(s.entry) {
		return s, damaged("rank")
	}
	s.rank = string(rank)
	copy(s.entry[:], rest)
	return s, nil
}
