package load

import (
	"context"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/write"
)

// indexAll indexes everything that was loaded and flushed.
func (l *Load) indexAll(ctx context.Context) error {
	for _, a := range l.w.State.Collections {
		if err := l.indexOne(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) indexOne(ctx context.Context, a *write.Collection) error {
	x := index.NewWriter(l.w.IndexTarget(a), a.Definitions.ByField)
	pass, err := x.Pass(l.to.DB)
	if err != nil {
		return err
	}
	pass.Whole = true
	_, _, err = pass.Run(ctx, nil, func() (bool, error) {
		if x.Size()+l.run.size < l.to.RunBytes {
			return false, nil
		}
		if err := x.Flush(); err != nil {
			return false, err
		}
		err := l.flush(ctx)
		x.ReadOn(l.w.Stored())
		return false, err
	})
	if err == nil {
		err = x.Flush()
	}
	if err == nil {
		err = l.w.AllTextsIndexed(a)
	}
	return layout.JoinClose(err, pass)
}
