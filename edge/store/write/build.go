package write

import (
	"context"
	"errors"
	"fmt"

	"svc/edge/store/index"
)

// BuildBytes is about how many bytes of fields a batch of a build indexes.
const BuildBytes = 2 << 20

// BuildNext indexes the next documents, rows at most, of the first collection that has a definition to build. built says that
// this was the last of them, and more that there may be other definitions.
func (w *Writer) BuildNext(rows int) (built, more bool, err error) {
	for _, a := range w.State.Collections {
		if err := a.open(w.it, w.State.Gen, false); err != nil {
			return false, false, err
		}
		if group := a.Definitions.Unbuilt(); group != nil {
			if built, err = w.build(a, group, rows); err != nil {
				return false, false, fmt.Errorf("collection %s: %w", a.Name, err)
			}
			return built, true, nil
		}
	}
	return false, false, nil
}

// build indexes the next documents for some definitions.
func (w *Writer) build(a *Collection, group []*index.Definition, rows int) (built bool, err error) {
	defs := map[string][]*index.Definition{}
	for _, d := range group {
		defs[d.Field] = append(defs[d.Field], d)
	}
	x := index.NewWriter(w.IndexTarget(a), defs)
	pass, err := x.Pass(w.db)
	if err != nil {
		return false, err
	}
	pass.TermsUntil = a.Texts.Release
	last, done, err := pass.Run(context.Background(), group[0].Done, func() (bool, error) {
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
