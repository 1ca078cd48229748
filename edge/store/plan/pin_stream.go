package plan

import (
	"bytes"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
)

// pinStream gives the entries of a set of documents by id. Where the set has many of all entries that ever were, it goes through
// those and looks for the document that each had at the pin. When that takes longer than expected, it looks at the whole set.
type pinStream struct {
	setStream
	it    *pebble.Iterator // which other streams move too; nil: it looks at the whole set
	start []byte           // of the rows of TableFirst
	at    []byte           // the row that it looked at last, or the upper bound
	left  int              // entries that it may still go through
	row   orderRow
}

// begin starts the stream, behind a row if that is not nil. It keeps the set.
func (s *pinStream) begin(x *execution, of *roaring.Bitmap, after *orderRow) error {
	*s = pinStream{setStream: setStream{x: x, of: of, after: after, rows: topRows{rows: s.rows.rows[:0]}}, start: s.start, at: s.at}
	n := max(1, int(of.GetCardinality()))
	expected := (x.limit + 1) * int(x.last.Ever) / n
	if expected*pinSteps >= n*(1+numberSteps) {
		return nil
	}
	s.left = x.engine.costs.Budget(scanTolerance * expected)
	s.start = x.r.Generation.Collection(s.start, layout.TableFirst, x.c)
	if after == nil {
		s.at = prefixEnd(append(s.at[:0], s.start...))
	} else {
		s.at = x.r.Generation.Entry(s.at, layout.TableFirst, x.c, after.entry)
	}
	var err error
	s.it, err = x.r.Iterator(snapshot.Primary)
	return err
}

func (s *pinStream) next() (*orderRow, error) {
	for s.it != nil {
		if s.it.Valid() && bytes.Equal(s.it.Key(), s.at) {
			s.it.Prev()
		} else {
			s.it.SeekLT(s.at)
		}
		if !s.it.Valid() || !bytes.HasPrefix(s.it.Key(), s.start) {
			return nil, s.it.Error()
		}
		if !s.x.step(1) {
			return nil, s.x.stopped()
		}
		s.at = append(s.at[:0], s.it.Key()...)
		s.row.entry = layout.EntryIn(s.at[layout.CollectionLen:])
		now, _, err := s.x.r.State(snapshot.Numbers, s.x.c, s.row.entry, s.x.last.Release)
		if err != nil {
			return nil, err
		}
		if s.left--; s.left <= 0 {
			s.it, s.after = nil, &orderRow{entry: s.row.entry}
		}
		if now.Live && s.of.Contains(now.Document) {
			s.row.number = now.Document
			return &s.row, nil
		}
	}
	return s.setStream.next()
}
