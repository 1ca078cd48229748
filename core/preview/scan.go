package preview

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/value"
)

// List implements read.View. SQL narrows, read.Scan decides, and rows are looked at as they come: memory holds the page and one
// row, however many entries the collection has.
func (v *view) List(ctx context.Context, q read.ListQuery) (read.Page, error) {
	return read.Scan(&q, q.Order.IsDefault(), func(yield func(*read.Row) bool) error {
		if q.Order.IsDefault() {
			w := orderedWalk{view: v, query: &q, yield: yield}
			return w.run(ctx)
		}
		n := newNarrow(&q.Conditions, q.Collection, v.at(q.Pin))
		return v.each(ctx, yield, selectRows+n.sql.String(), n.args...)
	})
}

const (
	largestStep = 3200    // rows that a walk in the default order asks for at once; the first step is a page
	stepBytes   = 4 << 20 // their fields
)

// selectStep is selectRows for rows behind a place, in their order. Rows have fields only as long as those before them have less
// than so many bytes of them: PostgreSQL tells their length without reading them.
const selectStep = `SELECT e.id, p.revision_id, coalesce(p.slug, ''), l.published_at, r.schema_version,
	CASE WHEN sum(octet_length(r.fields)) OVER step - octet_length(r.fields) < %d THEN r.fields END,
	coalesce(e.rank, '') FROM entry e` + live + `%s AND %s
	WINDOW step AS (ORDER BY %[4]s ROWS UNBOUNDED PRECEDING) ORDER BY %[4]s LIMIT $%d`

// orderedWalk passes the rows behind the query's place in the default order, first the arranged entries by rank, then the others
// by id, newest first, step by step until the page is full.
type orderedWalk struct {
	*view
	query *read.ListQuery
	yield func(*read.Row) bool

	last read.Key // of the row that was passed last
	done bool     // the page takes no more
}

// endOfEntries follows every id of an entry.
const endOfEntries = "f"

func (w *orderedWalk) run(ctx context.Context) error {
	if w.query.After != nil {
		w.last = *w.query.After
	}
	if !w.last.Missing {
		err := w.steps(ctx, `e.rank, e.id`, func(n *narrow) string {
			return fmt.Sprintf(`e.rank IS NOT NULL AND (e.rank, e.id) > ($%d, $%d)`, n.arg(w.last.Value), n.arg(string(w.last.Entry)))
		})
		if err != nil || w.done {
			return err
		}
		w.last = read.Key{Missing: true, Entry: endOfEntries}
	}
	return w.steps(ctx, `e.id DESC`, func(n *narrow) string {
		return fmt.Sprintf(`e.rank IS NULL AND e.id < $%d`, n.arg(string(w.last.Entry)))
	})
}

// steps asks for the rows behind the last one until none is left or the page is full.
func (w *orderedWalk) steps(ctx context.Context, order string, behind func(n *narrow) string) error {
	for size := w.query.Limit + 1; !w.done; size = min(4*size, largestStep) {
		n := newNarrow(&w.query.Conditions, w.query.Collection, w.at(w.query.Pin))
		sql := fmt.Sprintf(selectStep, stepBytes, n.sql.String(), behind(n), order, n.arg(size))
		passed, cut := 0, false
		err := w.each(ctx, func(row *read.Row) bool {
			if cut = row.Fields == nil; cut {
				return false
			}
			passed++
			w.last = row.Key
			w.done = !w.yield(row)
			return !w.done
		}, sql, n.args...)
		if err != nil || passed < size && !cut {
			return err
		}
	}
	return nil
}

// narrow writes what every matching row fulfils as SQL over the revision r, each part after an AND, so that the others are not
// sent. It looks for texts in the stored fields: those are canonical JSON, in which a field has one name and a text one
// form, whatever schema and locale they are read under. Whether a row matches is not decided here.
type narrow struct {
	sql  strings.Builder
	args []any
}

// newNarrow numbers its parameters after the first ones.
func newNarrow(c *query.Conditions, first ...any) *narrow {
	n := &narrow{args: first}
	for _, condition := range c.All() {
		n.add(&condition)
	}
	return n
}

func (n *narrow) add(c *query.Condition) {
	if c.Op == query.OpNotEqual || c.Op == query.OpExists && !c.Exists {
		return // rows without the field match
	}
	n.has(`"` + c.Field.Key + `":`)
	if c.Op != query.OpEqual && c.Op != query.OpIn || !hasOneForm(c) || len(c.Keys) > mostTexts {
		return
	}
	texts := make([]string, len(c.Keys))
	for i, key := range c.Keys { // the keys of texts and dates are what is written
		quoted, err := jsontext.AppendQuote(nil, string(key))
		if err != nil {
			return // no stored text is like that, and looking at all is right too
		}
		texts[i] = string(quoted)
	}
	if len(texts) == 1 {
		n.has(texts[0])
		return
	}
	fmt.Fprintf(&n.sql, ` AND EXISTS (SELECT FROM unnest($%d::text[]) one WHERE strpos(r.fields, one) > 0)`, n.arg(texts))
}

// mostTexts is how many texts PostgreSQL looks for in a row: for more of them, that takes longer than to send the row.
const mostTexts = 10

// hasOneForm reports whether equal values of the field are written alike; numbers and instants are not.
func hasOneForm(c *query.Condition) bool {
	class := value.ClassOf(c.Field)
	return class == value.ClassText || class == value.ClassDate
}

func (n *narrow) has(text string) {
	fmt.Fprintf(&n.sql, ` AND strpos(r.fields, $%d) > 0`, n.arg(text))
}

// arg adds a parameter and returns its number; $1 is the project.
func (n *narrow) arg(a any) int {
	n.args = append(n.args, a)
	return len(n.args) + 1
}
