package store

import (
	"context"

	"svc/edge/store/index"
	"svc/edge/store/layout"
)

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
	x := index.NewWriter(ld.w.indexTarget(a), a.defs.ByField)
	pass, err := x.Pass(ld.s.db)
	if err != nil {
		return err
	}
	pass.Whole = true
	_, _, err = pass.Run(ctx, nil, func() (bool, error) {
		if x.Size() < ld.s.tune.runBytes {
			return false, nil
		}
		if err := x.Flush(); err != nil {
			return false, err
		}
		return false, ld.run.flush(ctx) // a run takes one operand of a set
	})
	if err == nil {
		err = x.Flush()
	}
	return layout.JoinClose(err, closer(pass.Close))
}

// closer is something to close.
type closer func() error

func (c closer) Close() error { return c() }
