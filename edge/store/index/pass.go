package index

import (
	"bytes"
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"svc/edge/store/layout"
)

// Pass indexes what was published, entry by entry: all of it at the end of a load, or some steps of it for definitions
// that came later. Entries, documents and numbers lie in the same order, so it only moves forward. While documents are written,
// a few that follow are read.
type Pass struct {
	x                                *Writer
	rows, documents, numbers, ranked *pebble.Iterator
	Whole                            bool   // also which entries are live, and their default order
	TermsUntil                       uint64 // release up to which terms are indexed; the rest is left to a TextPass
	Bytes                            int    // of documents that were written
	key                              []byte
}

// readAhead is how many documents there are at once, read or being read.
const readAhead = 6

// passDocument is a live document as a pass reads it.
type passDocument struct {
	Document
	row    []byte // of TableEntry, from the entry on
	size   int
	values FieldValues

	newest bool // of its entry: the index of what is live tells of it
	tells  bool // the same of its terms
	// Of those.
	n    uint32
	rank string
}

// Pass begins a pass over what src holds; it ends with Close.
func (x *Writer) Pass(src pebble.Reader) (*Pass, error) {
	p := &Pass{x: x, TermsUntil: layout.MaxRelease}
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

// Run indexes the documents behind a row of TableEntry, until pause says so after one and its entry ends; it returns the row of the
// last one indexed, and whether all are.
func (p *Pass) Run(ctx context.Context, behind []byte, pause func() (bool, error)) (last []byte, done bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	free, read := make(chan *passDocument, readAhead), make(chan *passDocument, readAhead)
	for range readAhead {
		free <- &passDocument{}
	}
	var reading errgroup.Group
	reading.Go(func() error {
		defer close(read)
		return p.read(ctx, behind, free, read)
	})
	last = behind
	paused, stopped := false, false
	for d := range read {
		if stopped = paused && !bytes.HasPrefix(last, d.row[:16]); !stopped {
			if err = p.write(d); err == nil {
				last = bytes.Clone(d.row)
				paused, err = pause()
			}
		}
		if stopped || err != nil {
			stop()
			break
		}
		free <- d
	}
	if readErr := reading.Wait(); err == nil && !stopped {
		err = readErr
	}
	return last, err == nil && !stopped, err
}

// read reads the live documents behind a row of TableEntry into those that are free.
func (p *Pass) read(ctx context.Context, behind []byte, free <-chan *passDocument, read chan<- *passDocument) error {
	start := p.x.to.Generation.Collection(nil, layout.TableEntry, p.x.to.Collection)
	from := start
	entry := bytes.Clone(behind) // of the row before
	told := false                // the index of terms tells of the entry already
	if len(behind) > 0 {
		from = layout.Successor(append(bytes.Clone(start), behind...))
	}
	for ok := p.rows.SeekGE(from); ok && bytes.HasPrefix(p.rows.Key(), start); ok = p.rows.Next() {
		row := p.rows.Key()[len(start):]
		newest := !bytes.HasPrefix(entry, row[:16])
		told = told && !newest
		tells := !told && layout.EntryReleaseIn(row) <= p.TermsUntil
		told = told || tells
		entry = append(entry[:0], row[:16]...)
		value, err := p.rows.ValueAndErr()
		if err != nil {
			return err
		}
		now, err := layout.ReadEntryState(value)
		if err != nil {
			return err
		}
		if !now.Live {
			continue
		}
		select {
		case d := <-free:
			d.newest, d.tells = newest, tells
			if err := p.readDocument(d, row, now.Document); err != nil {
				return err
			}
			read <- d
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.rows.Error()
}

// readDocument reads the document of a row of TableEntry.
func (p *Pass) readDocument(d *passDocument, row []byte, number uint32) error {
	e := layout.EntryIn(row)
	d.Document = Document{Entry: e, Release: layout.EntryReleaseIn(row), Number: number}
	d.row = append(d.row[:0], row...)
	p.key = append(p.x.to.Generation.Collection(p.key, layout.TableDocument, p.x.to.Collection), row...)
	stored, err := p.beside(p.documents, "document")
	if err != nil {
		return err
	}
	document, err := layout.ReadDocument(stored)
	if err != nil {
		return err
	}
	d.size = len(document.Fields)
	if err := d.values.Read(p.x.defs, document.Fields); err != nil || !d.newest && !d.tells {
		return err
	}
	p.key = p.x.to.Generation.Entry(p.key, layout.TableFirst, p.x.to.Collection, e)
	if _, err := p.beside(p.numbers, "number"); err != nil {
		return err
	}
	if _, d.n, err = layout.FirstIn(p.numbers); err != nil {
		return err
	}
	rank, err := layout.RankOf(p.ranked, p.x.to.Generation, p.x.to.Collection, e)
	d.rank = string(rank)
	return err
}

// write indexes a document.
func (p *Pass) write(d *passDocument) error {
	x := p.x
	p.Bytes += d.size
	x.now, d.values = d.values, x.now
	x.old.clear()
	if d.Release <= p.TermsUntil {
		x.addPastTerms(&x.now, d.Number)
	}
	if d.tells {
		x.moveTerms(d.n)
	}
	if err := x.addPast(&d.Document); err != nil || !d.newest {
		return err
	}
	if x.move(d.n); !p.Whole {
		return nil
	}
	x.enter(d.n)
	return x.to.Out.Put(x.to.Generation.Head(nil, x.to.Collection, d.rank, d.Entry), nil, nil)
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
