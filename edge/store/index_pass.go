package store

import (
	"bytes"
	"context"
	"errors"
	"svc/edge/store/layout"

	"github.com/cockroachdb/pebble/v2"
)

// indexPass files what was published, entry by entry: all of it at the end of a load, or some steps of it for definitions
// that came later. Entries, documents and numbers lie in the same order, so it only moves forward.
type indexPass struct {
	*indexer
	rows, documents, numbers, ranked *pebble.Iterator
	ranks                            layout.RankCursor
	whole                            bool // also the orders that all entries are in
	filed                            int  // bytes of documents
}

func (x *indexer) pass() (*indexPass, error) {
	p := &indexPass{indexer: x}
	for _, it := range []**pebble.Iterator{&p.rows, &p.documents, &p.numbers, &p.ranked} {
		var err error
		if *it, err = x.led.Gen.Iterate(x.s.db); err != nil {
			return nil, errors.Join(err, p.close())
		}
	}
	p.ranks = layout.NewRankCursor(p.ranked, x.led.Gen, x.a.number)
	return p, nil
}

func (p *indexPass) close() error {
	var errs []error
	for _, it := range []*pebble.Iterator{p.rows, p.documents, p.numbers, p.ranked} {
		if it != nil {
			errs = append(errs, it.Close())
		}
	}
	return errors.Join(errs...)
}

// run files what lies behind a row of TableEntry, until pause says so after one; it returns the last row filed, and whether
// everything is.
func (p *indexPass) run(ctx context.Context, behind []byte, pause func() (bool, error)) (last []byte, done bool, err error) {
	start := p.led.Gen.Collection(nil, layout.TableEntry, p.a.number)
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
		if err := p.file(row, newest); err != nil {
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

// file files the document of a row of TableEntry.
func (p *indexPass) file(row []byte, newest bool) error {
	value, err := p.rows.ValueAndErr()
	if err != nil {
		return err
	}
	now, err := layout.ReadEntryState(value)
	if err != nil || !now.Live {
		return err
	}
	p.key = append(p.led.Gen.Collection(p.key, layout.TableDocument, p.a.number), row...)
	doc, err := p.beside(p.documents, "document")
	if err != nil {
		return err
	}
	d, err := layout.ReadDocument(doc)
	if err != nil {
		return err
	}
	p.filed += len(d.Fields)
	if err := p.now.read(p.defs, d.Fields); err != nil {
		return err
	}
	if err := p.filePast(now.Document); err != nil || !newest {
		return err
	}
	return p.fileLive(layout.EntryIn(row))
}

// fileLive files the document that was read last as that of a live entry.
func (p *indexPass) fileLive(e layout.EntryID) error {
	p.key = p.led.Gen.Entry(p.key, layout.TableFirst, p.a.number, e)
	if _, err := p.beside(p.numbers, "number"); err != nil {
		return err
	}
	_, n, err := layout.FirstIn(p.numbers)
	if err != nil {
		return err
	}
	for i := range p.now.list {
		p.put(&p.now.list[i], e, n, true)
	}
	if !p.whole {
		return nil
	}
	p.enter(e, n)
	rank, err := p.ranks.Rank(e)
	if err != nil {
		return err
	}
	p.key = p.led.Gen.Head(p.key, p.a.number, string(rank), e)
	return p.putNumber(p.key, n)
}

// beside moves an iterator forward to the row of p.key, which must be there.
func (p *indexPass) beside(it *pebble.Iterator, what string) ([]byte, error) {
	if !(it.Valid() && it.Next() && bytes.Equal(it.Key(), p.key)) && !(it.SeekGE(p.key) && bytes.Equal(it.Key(), p.key)) {
		if err := it.Error(); err != nil {
			return nil, err
		}
		return nil, layout.Damaged("entry: it has no " + what)
	}
	return it.ValueAndErr()
}

// indexAll files everything that was loaded and flushed.
func (ld *loader) indexAll(ctx context.Context) error {
	for _, a := range ld.w.led.byName {
		if err := ld.indexOne(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (ld *loader) indexOne(ctx context.Context, a *account) error {
	x := ld.w.indexer(a)
	pass, err := x.pass()
	if err != nil {
		return err
	}
	pass.whole = true
	_, _, err = pass.run(ctx, nil, func() (bool, error) {
		if x.size() < ld.s.cfg.tune.runBytes {
			return false, nil
		}
		if err := x.end(); err != nil {
			return false, err
		}
		return false, ld.run.flush(ctx) // a run takes one operand of a set
	})
	if err == nil {
		err = x.end()
	}
	return layout.JoinClose(err, closer(pass.close))
}

// closer is something to close.
type closer func() error

func (c closer) Close() error { return c() }
