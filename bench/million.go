package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"svc/bench/table"
	"svc/deploy/local/process"
)

// millionSize is how many entries the larger of two stores has.
func (c Config) millionSize() int { return c.sized(1_000_000, 6_000) }

// million measures every list of the table at 100,000 and at 1,000,000 entries, and what this process keeps resident with the latter.
func million(ctx context.Context, b *Bench) error {
	p := &performanceRun{Bench: b}
	if err := p.measureGet(b.millionSize() / 10); err != nil {
		return err
	}
	small, _, err := p.atSize(ctx, b.millionSize()/10)
	if err != nil {
		return err
	}
	large, resident, err := p.atSize(ctx, b.millionSize())
	if err != nil {
		return err
	}
	for i := range large {
		large[i].Other = small[i].One
	}
	worst, over := worstOf(large), 0
	row := b.Report.addRow(workMillion, worst.Ratio(), "")
	for _, t := range large {
		if t.Ratio() > row.Target {
			over++
		}
	}
	row.Note = fmt.Sprintf("the worst of %d, `%s`: %.3f ms and %.3f ms; %d miss the target, the median one is %.2f", len(large), worst.Name,
		milliseconds(worst.One), milliseconds(worst.Other), over, large[len(large)/2].Ratio())
	row.inGets(worst.One, p.get)
	slowest := slices.MaxFunc(large, func(a, b table.Times) int { return cmp.Compare(a.One, b.One) })
	b.Report.add("slowest list at "+thousands(b.millionSize())+" entries, p50", milliseconds(slowest.One), Milliseconds).noted("`%s`", slowest.Name)
	b.Report.addRow(workMillions, megabytes(resident.Now), "of this process, once every list was read; at most %.0f MB while it was loaded",
		megabytes(resident.Peak))
	return nil
}

// atSize builds a store and reads every list, some entries and pages far behind.
func (p *performanceRun) atSize(ctx context.Context, entries int) (times []table.Times, r process.Resident, err error) {
	s, err := p.build(ctx, entries)
	if err != nil {
		return nil, r, err
	}
	defer func() { err = errors.Join(err, s.Close(), os.RemoveAll(p.storeDir())) }()
	var pairs []table.Pair
	for _, kind := range table.Kinds() {
		for _, q := range kind.Queries {
			pairs = append(pairs, table.Pair{Name: q, One: table.Path(table.Project, q, 0)})
		}
	}
	for i := range 5 {
		pairs = append(pairs, table.Pair{Name: fmt.Sprintf("entry %d of 5", i+1), One: table.Single(table.Project, i*entries/5, 0)})
	}
	for _, q := range table.Walked() {
		path, err := s.PageAt(ctx, q, 0, p.millionSize()/20)
		if err != nil {
			return nil, r, err
		}
		pairs = append(pairs, table.Pair{Name: q + " far behind", One: path})
	}
	p.progress("reading %d lists and entries", len(pairs))
	if times, err = s.Compare(ctx, pairs, rounds, p.turn()); err != nil {
		return nil, r, err
	}
	r, err = process.ResidentOf(os.Getpid())
	return times, r, err
}
