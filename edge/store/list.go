package store

import (
	"bytes"
	"cmp"
	"context"
	"math"

	"svc/edge/store/layout"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

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

func spotAfter(key *read.Key) (*layout.Position, error) {
	if key == nil {
		return nil, nil
	}
	e, ok := content.Bytes(key.Entry)
	if !ok || key.Missing != (key.Value == "") {
		return nil, fault.Invalid("cursor", "is not a position in this list")
	}
	return &layout.Position{Rank: key.Value, Entry: e}, nil
}

// listing makes one page.
type listing struct {
	*view
	c     uint32
	place *collection
	after *layout.Position // nil: from the front
	limit int              // rows
	most  int              // bytes of fields, from which it is full
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
	start := l.meta.gen.Collection(nil, layout.TableHead, l.c)
	from := start
	if l.after != nil {
		from = layout.Successor(l.meta.gen.Head(nil, l.c, l.after.Rank, l.after.Entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if l.more = l.full(); l.more {
			return nil
		}
		s, err := layout.HeadPosition(it.Key()[len(start):])
		if err != nil {
			return err
		}
		if err := l.take(&s, layout.MaxRelease); err != nil {
			return err
		}
	}
	return it.Error()
}

// take adds an entry that is known to have been live at a release.
func (l *listing) take(s *layout.Position, release uint64) error {
	d, ok, err := l.r.listed(l.c, s, release)
	if err != nil {
		return err
	}
	if !ok {
		return layout.Damaged("index: a live entry has no document")
	}
	l.add(s, &d)
	return nil
}
