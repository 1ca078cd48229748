package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record"
)

// BuildBytes is about how many bytes of fields a batch of a build indexes.
const BuildBytes = 2 << 20

// BuildNext indexes the next documents, rows at most, of the first collection that has a definition to build. built says that
// this was the last of them, and more that there may be other definitions.
func (w *Writer) BuildNext(ctx context.Context, rows int) (built, more bool, err error) {
	for _, a := range w.State.Collections {
		if err := a.open(w.it, w.State.Gen, false); err != nil {
			return false, false, err
		}
		if more {
			continue
		}
		group := a.Definitions.Unbuilt()
		if group == nil {
			continue
		}
		if built, err = w.build(ctx, a, group, rows); err != nil {
			return false, false, fmt.Errorf("collection %s: %w", a.Name, err)
		}
		more = true
	}
	w.State.Unbuilt = more
	return built, more, nil
}

// build files the next documents for some definitions.
func (w *Writer) build(ctx context.Context, a *Collection, group []*index.Definition, rows int) (built bool, err error) {
	defs := map[string][]*index.Definition{}
	for _, d := range group {
		defs[d.Field] = append(defs[d.Field], d)
	}
	x := index.NewWriter(w.IndexTarget(a), defs)
	pass, err := x.Pass(w.db)
	if err != nil {
		return false, err
	}
	last, done, err := pass.Run(ctx, group[0].Done, func() (bool, error) {
		rows--
		return rows <= 0 || pass.Bytes >= BuildBytes, nil
	})
	if err = errors.Join(err, pass.Close()); err != nil {
		return false, err
	}
	for _, d := range group {
		if d.Done, d.Built = last, done; done {
			d.Done = nil
		}
		if err := w.putDefinition(a, d); err != nil {
			return false, err
		}
	}
	return done, x.Flush()
}

// NoteBuild writes that a log has something to build, where a change brought that.
func (w *Writer) NoteBuild(batch *pebble.Batch, kind record.Kind) error {
	if kind != record.KindSchema || !w.State.Unbuilt {
		return nil
	}
	return batch.Set(layout.Global.Text(nil, layout.TableUnbuilt, w.log), nil, nil)
}
