package plan

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// scanPin scans the default order of a pin: it goes through all entries that ever were and looks for the document that each
// had at the pin. That goes well where most of them were live then.
func (x *execution) scanPin() error {
	ranked := x.collection.Ranked.Load()
	if ranked && (x.after == nil || x.after.Rank != "") {
		if full, err := x.scanRanked(); err != nil || full || x.spent {
			return err
		}
	}
	return x.scanUnranked(ranked)
}

// scanRanked scans the entries that have a rank and reports whether the page is full.
func (x *execution) scanRanked() (full bool, err error) {
	it, err := x.r.Iterator(snapshot.Primary)
	if err != nil {
		return false, err
	}
	start := x.r.Generation.Collection(nil, layout.TableRanked, x.c)
	from := start
	if x.after != nil {
		from = layout.Successor(x.r.Generation.Ranked(nil, x.c, x.after.Rank, x.after.Entry))
	}
	for ok := it.SeekGE(from); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if !x.step(x.pinCost()) {
			return false, x.stopped()
		}
		s, err := layout.RankedPosition(it.Key()[len(start):])
		if err != nil {
			return false, err
		}
		if full, err := x.visitPin(&s); err != nil || full {
			return full, err
		}
	}
	return false, it.Error()
}

// scanUnranked scans the entries that have no rank.
func (x *execution) scanUnranked(ranked bool) error {
	it, err := x.r.Iterator(snapshot.Primary)
	if err != nil {
		return err
	}
	var rankRows *pebble.Iterator
	if ranked {
		if rankRows, err = x.r.Iterator(snapshot.Secondary); err != nil {
			return err
		}
	}
	start := x.r.Generation.Collection(nil, layout.TableFirst, x.c)
	for ok := it.SeekGE(x.firstUnranked()); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		if !x.step(x.pinCost()) {
			return x.stopped()
		}
		first, _, err := layout.FirstIn(it)
		if err != nil {
			return err
		}
		if first > x.q.Pin {
			continue
		}
		s := layout.Position{Entry: layout.EntryIn(it.Key()[layout.CollectionLen:])}
		if ranked {
			if rank, err := layout.RankOf(rankRows, x.r.Generation, x.c, s.Entry); err != nil {
				return err
			} else if rank != nil {
				continue
			}
		}
		if full, err := x.visitPin(&s); err != nil || full {
			return err
		}
	}
	return it.Error()
}

// firstUnranked is where the scan of entries without a rank begins: nothing above the greatest had ever been by then.
func (x *execution) firstUnranked() []byte {
	if after := x.after; after != nil && after.Rank == "" && bytes.Compare(after.Entry[:], x.last.Greatest[:]) <= 0 {
		return layout.Successor(x.r.Generation.Entry(nil, layout.TableFirst, x.c, after.Entry))
	}
	return x.r.Generation.Entry(nil, layout.TableFirst, x.c, x.last.Greatest)
}

// visitPin looks what an entry was at the pin.
func (x *execution) visitPin(s *layout.Position) (full bool, err error) {
	if x.matched == nil {
		return x.visit(s, false)
	}
	now, _, err := x.r.State(snapshot.Numbers, x.c, s.Entry, x.q.Pin)
	if err != nil || !now.Live || !x.matched.Contains(now.Document) {
		return false, err
	}
	return x.visit(s, true)
}
