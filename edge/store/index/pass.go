package index

import (
	"bytes"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// Pass indexes what was published, entry by entry: all of it at the end of a load, or some steps of it for definitions
// that came later. Entries, documents and numbers lie in the same order, so it only moves forward.
type Pass struct {
	x                                *Writer
	rows, documents, numbers, ranked *pebble.Iterator
	Whole                            bool // also the orders that all entries are in
	Bytes                            int  // bytes of documents
	key                              []byte
}

// Pass begins a pass over what src holds; it ends with Close.
func (x *Writer) Pass(src pebble.Reader) (*Pass, error) {
	p := &Pass{x: x}
	for _, it := range []**pebble.Iterator{&p.rows, &p.documents, &p.numbers, &p.ranked} {
		var err error
		if *it, err = x.to.Generation.Iterate(src); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// Close closes what the pass read.
func (p *Pass) Close() error {
	var errs []error
	for _, it := range []*pebble.Iterator{p.rows, p.documents, p.numbers, p.ranked} {
		if it != nil {
			errs = append(errs, it.Close())
		}
	}
	return errors.Join(errs...)
}

// Run indexes what lies behind a row of TableEntry, until pause says so after one; it returns the last row indexed, and whether
// everything is.
func (p *Pass) Run(ctx context.Context, behind []byte, pause func() (bool, error)) (last []byte, done bool, err error) {
	start := p.x.to.Generation.Collection(nil, layout.TableEntry, p.x.to.Collection)
	from := start
	last = behind
	if len(behind) > 0 {
		from = layout.Successor(append(bytes.Clone(start), behind...))
	}
	prefix := len(start)
	for ok := p.rows.SeekGE(from); ok && bytes.HasPrefix(p.rows.Key(), start); ok = p.rows.Next() {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		row := p.rows.Key()[prefix:]
		newest := len(last) == 0 || !bytes.Equal(last[:16], row[:16])
		if err := p.index(row, newest); err != nil {
			return nil, false, err
		}
		last = append(last[:0:0], row...)
		stop, err := pause()
		if err != nil || stop {
			return last, false, err
		}
	}
	return last, true, p.rows.Error()
}

// index indexes the document of a row of TableEntry.
func (p *Pass) index(row []byte, newest bool) error {
	value, err := p.rows.ValueAndErr()
	if err != nil {
		return err
	}
	now, err := layout.ReadEntryState(value)
	if err != nil || !now.Live {
		return err
	}
	p.key = append(p.x.to.Generation.Collection(p.key, layout.TableDocument, p.x.to.Collection), row...)
	doc, err := p.beside(p.documents, "document")
	if err != nil {
		return err
	}
	d, err := layout.ReadDocument(doc)
	if err != nil {
		return err
	}
	p.Bytes += len(d.Fields)
	e := layout.EntryIn(row)
	err = p.x.readPast(&Document{Entry: e, Release: layout.EntryReleaseIn(row), Number: now.Document}, d.Fields)
	if err != nil || !newest {
		return err
	}
	return p.indexLive(e)
}

// indexLive indexes the document that was read last as that of a live entry.
func (p *Pass) indexLive(e layout.EntryID) error {
	p.key = p.x.to.Generation.Entry(p.key, layout.TableFirst, p.x.to.Collection, e)
	if _, err := p.beside(p.numbers, "number"); err != nil {
		return err
	}
	_, n, err := layout.FirstIn(p.numbers)
	if err != nil {
		return err
	}
	if err := p.x.putAll(e, n); err != nil || !p.Whole {
		return err
	}
	if err := p.x.enter(e, n); err != nil {
		return err
	}
	rank, err := layout.RankOf(p.ranked, p.x.to.Generation, p.x.to.Collection, e)
	if err != nil {
		return err
	}
	p.key = p.x.to.Generation.Head(p.key, p.x.to.Collection, string(rank), e)
	return layout.PutEntryNumber(p.x.to.Out, p.key, n)
}

// beside moves an iterator forward to the row of p.key, which must be there.
func (p *Pass) beside(it *pebble.Iterator, what string) ([]byte, error) {
	if !(it.Valid() && it.Next() && bytes.Equal(it.Key(), p.key)) && !(it.SeekGE(p.key) && bytes.Equal(it.Key(), p.key)) {
		if err := it.Error(); err != nil {
			return nil, err
		}
		return nil, layout.Damaged("entry: it has no " + what)
	}
	return it.ValueAndErr()
}
