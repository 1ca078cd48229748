package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"svc/bench/table"
)

const (
	// tableReleases is among how many releases a pin lies.
	tableReleases = 1_000
	// tableTurn is how long a list is read in each of the rounds.
	tableTurn = 25 * time.Millisecond
)

// performance measures the rows of the table: first those of a store in this process, then those of edges.
func performance(ctx context.Context, b *Bench) error {
	p := &performanceRun{Bench: b}
	return errors.Join(p.inProcess(ctx), p.overHTTP(ctx))
}

// performanceRun has what the rows share.
type performanceRun struct {
	*Bench
	get time.Duration // of a document in a warm Pebble
	// pinned are reads at a pin with the same reads of the head.
	pinned []table.Times
}

// tableStep measures a row or some.
type tableStep struct {
	name string
	do   func(ctx context.Context) error
}

// each takes all steps, whether or not others fail.
func (p *performanceRun) each(ctx context.Context, steps []tableStep) error {
	var failed []error
	for _, s := range steps {
		if ctx.Err() != nil {
			break
		}
		p.progress("%s", s.name)
		if err := s.do(ctx); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	return errors.Join(failed...)
}

func (p *performanceRun) turn() time.Duration {
	return time.Duration(p.sized(int(tableTurn), int(time.Millisecond/2)))
}

// inProcess measures the rows of a store that is opened as an edge opens it.
func (p *performanceRun) inProcess(ctx context.Context) (err error) {
	entries := p.corpusSize()
	if err := p.measureGet(entries); err != nil {
		return err
	}
	s, err := p.build(ctx, entries)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(), os.RemoveAll(p.storeDir())) }()
	return p.each(ctx, []tableStep{
		{"lists", func(ctx context.Context) error { return p.lists(ctx, s) }},
		{"pages", func(ctx context.Context) error { return p.pages(ctx, s) }},
		{"entries", func(ctx context.Context) error { return p.entries(ctx, s) }},
		{"pins", func(context.Context) error { return p.pins() }},
		{"includes", func(ctx context.Context) error { return p.includes(ctx, s) }},
		{"reads beside releases", func(ctx context.Context) error { return p.busy(ctx, s) }},
		{"bytes written", func(ctx context.Context) error { return p.written(ctx, s) }},
	})
}

func (p *performanceRun) storeDir() string { return filepath.Join(p.Out, p.Report.Scenario+"-store") }

func (p *performanceRun) measureGet(entries int) (err error) {
	p.progress("measuring a Get of Pebble")
	if p.get, err = table.Get(p.storeDir(), min(entries, 100_000), 20*p.turn()); err != nil {
		return err
	}
	p.Report.add("a Get of a document in a warm Pebble", float64(p.get), Nanoseconds)
	return nil
}

func (p *performanceRun) build(ctx context.Context, entries int) (*table.Store, error) {
	releases := uint64(p.sized(tableReleases, 100))
	p.progress("loading %s entries in %d releases", thousands(entries), releases)
	began := time.Now()
	s, err := table.Build(ctx, p.storeDir(), entries, releases)
	if err != nil {
		return nil, err
	}
	p.Report.add(fmt.Sprintf("load of %s entries into a store of this process, until it is in order", thousands(entries)), time.Since(began).Seconds(), Seconds).
		noted("%d releases, %d bytes an entry", releases, s.EntryBytes/int64(entries))
	return s, nil
}

// lists measures each kind of list at the head and at a pin. A row is its slowest list.
func (p *performanceRun) lists(ctx context.Context, s *table.Store) error {
	for _, kind := range table.Kinds() {
		var pairs []table.Pair
		for _, q := range kind.Queries {
			pairs = append(pairs, table.Pair{Name: q, One: table.Path(table.Project, q, s.Pin), Other: table.Path(table.Project, q, 0)})
		}
		times, err := s.Compare(ctx, pairs, rounds, p.turn())
		if err != nil {
			return err
		}
		p.pinned = append(p.pinned, times...)
		slices.SortFunc(times, func(a, b table.Times) int { return int(a.Other - b.Other) })
		slowest := times[len(times)-1]
		p.Report.addRow(kind.Work, milliseconds(slowest.Other), "p50 of the slowest of %d, `%s`; of the median one %.3f ms",
			len(times), slowest.Name, milliseconds(times[len(times)/2].Other)).inGets(slowest.Other, p.get)
	}
	return nil
}

// pages measures pages behind many rows against the first, and at a pin against the head.
func (p *performanceRun) pages(ctx context.Context, s *table.Store) error {
	var far, pinned []table.Pair
	for _, q := range table.Walked() {
		for _, row := range []int{s.Entries / 20, s.Entries / 2} {
			name := fmt.Sprintf("%s at row %s", q, thousands(row))
			head, err := s.PageAt(ctx, q, 0, row)
			if err != nil {
				return err
			}
			pin, err := s.PageAt(ctx, q, s.Pin, row)
			if err != nil {
				return err
			}
			far = append(far, table.Pair{Name: name, One: head, Other: table.Path(table.Project, q, 0)})
			pinned = append(pinned, table.Pair{Name: name, One: pin, Other: head})
		}
	}
	times, err := s.Compare(ctx, far, rounds, p.turn())
	if err != nil {
		return err
	}
	worst := worstOf(times)
	p.Report.addRow(workPages, worst.Ratio(), "the worst of %d, `%s`: %.3f ms and %.3f ms", len(times), worst.Name,
		milliseconds(worst.One), milliseconds(worst.Other)).inGets(worst.One, p.get)
	times, err = s.Compare(ctx, pinned, rounds, p.turn())
	p.pinned = append(p.pinned, times...)
	return err
}

// entries measures entries by slug at a pin.
func (p *performanceRun) entries(ctx context.Context, s *table.Store) error {
	var pairs []table.Pair
	for i := range 5 {
		n := i * s.Entries / 5
		pairs = append(pairs, table.Pair{
			Name: "entry " + table.Slug(n), One: table.Single(table.Project, n, s.Pin), Other: table.Single(table.Project, n, 0),
		})
	}
	times, err := s.Compare(ctx, pairs, rounds, p.turn())
	p.pinned = append(p.pinned, times...)
	return err
}

// pins reports the worst of all that was read at a pin.
func (p *performanceRun) pins() error {
	if len(p.pinned) == 0 {
		return errors.New("nothing was read at a pin")
	}
	worst, over := worstOf(p.pinned), 0
	row := p.Report.addRow(workPins, worst.Ratio(), "")
	for _, t := range p.pinned {
		if t.Ratio() > row.Target {
			over++
		}
	}
	row.Note = fmt.Sprintf("the worst of %d, `%s`: %.3f ms and %.3f ms; %d miss the target, the median one is %.2f", len(p.pinned), worst.Name,
		milliseconds(worst.One), milliseconds(worst.Other), over, p.pinned[len(p.pinned)/2].Ratio())
	row.inGets(worst.One, p.get)
	return nil
}

// worstOf sorts by ratio and returns the greatest.
func worstOf(times []table.Times) table.Times {
	slices.SortFunc(times, func(a, b table.Times) int {
		if a.Ratio() < b.Ratio() {
			return -1
		}
		return 1
	})
	return times[len(times)-1]
}

// includes measures lists with the entries that theirs refer to.
func (p *performanceRun) includes(ctx context.Context, s *table.Store) error {
	var pairs []table.Pair
	for _, q := range table.Walked() {
		with := "include=next"
		if q != "" {
			with += "&" + q
		}
		pairs = append(pairs, table.Pair{Name: with, One: table.Path(table.Project, with, 0), Other: table.Path(table.Project, q, 0)})
	}
	times, err := s.Compare(ctx, pairs, rounds, p.turn())
	if err != nil {
		return err
	}
	worst := worstOf(times)
	p.Report.addRow(workInclude, worst.Ratio(), "the worst of %d, `%s`: %.3f ms and %.3f ms", len(times), worst.Name,
		milliseconds(worst.One), milliseconds(worst.Other)).inGets(worst.One, p.get)
	return nil
}
