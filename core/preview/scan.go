package preview

import (
	"context"
	"fmt"

	"svc/shared/read"
)

// scan makes a page of a list with filters or in the order of a field. SQL narrows, read.Scan decides, and rows are looked at as
// they come: memory holds the page and one row, however many entries the collection has.
func (v *view) scan(ctx context.Context, q *read.ListQuery) (read.Page, error) {
	if q.Order.IsDefault() {
		return read.Scan(q, true, func(yield func(*read.Row) bool) error {
			w := orderedWalk{view: v, query: q, yield: yield}
			return w.run(ctx)
		})
	}
	return read.Scan(q, false, func(yield func(*read.Row) bool) error {
		n := newNarrow(&q.Conditions, q.Collection, v.at(q.Pin))
		return v.each(ctx, yield, selectRows+n.sql.String(), n.args...)
	})
}

// The rows that a walk in the default order asks for at once: few at first, since the page may be full with them.
const (
	firstStep = 100
	lastStep  = 3200
)

// orderedWalk passes the rows behind the query's place in the default order, step by step until the page is full.
type orderedWalk struct {
	*view
	query *read.ListQuery
	yield func(*read.Row) bool

	last read.Key // of the row that was passed last
	done bool     // the page takes no more
}

func (w *orderedWalk) run(ctx context.Context) error {
	if w.query.After != nil {
		w.last = *w.query.After
	}
	if !w.last.Missing {
		err := w.steps(ctx, func(n *narrow) string {
			return fmt.Sprintf(`AND e.rank IS NOT NULL AND (e.rank, e.id) > ($%d, $%d) ORDER BY e.rank, e.id`, n.arg(w.last.Value), n.arg(string(w.last.Entry)))
		})
		if err != nil || w.done {
			return err
		}
		w.last = read.Key{Missing: true, Entry: endOfEntries}
	}
	return w.steps(ctx, func(n *narrow) string {
		return fmt.Sprintf(`AND e.rank IS NULL AND e.id < $%d ORDER BY e.id DESC`, n.arg(string(w.last.Entry)))
	})
}

// steps asks for the rows behind the last one until none is left or the page is full.
func (w *orderedWalk) steps(ctx context.Context, behind func(n *narrow) string) error {
	for size := firstStep; !w.done; size = min(2*size, lastStep) {
		n := newNarrow(&w.query.Conditions, w.query.Collection, w.at(w.query.Pin))
		rest := behind(n)
		passed := 0
		err := w.each(ctx, func(row *read.Row) bool {
			passed++
			w.last = row.Key
			w.done = !w.yield(row)
			return !w.done
		}, fmt.Sprintf(`%s %s %s LIMIT $%d`, selectRows, n.sql.String(), rest, n.arg(size)), n.args...)
		if err != nil || passed < size {
			return err
		}
	}
	return nil
}
