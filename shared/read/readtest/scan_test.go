package readtest

import (
	"context"
	"testing"

	"svc/shared/read"
)

// scanning is Memory with lists that are scanned: what package query matches and read.Scan selects is held against what the
// model does without them.
type scanning struct{ *Memory }

func (s scanning) Store() read.Store { return s }

func (s scanning) Open(ctx context.Context, ref string) (read.View, error) {
	v, err := s.Memory.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	return scanningView{v}, nil
}

type scanningView struct{ read.View }

func (v scanningView) List(ctx context.Context, q read.ListQuery) (read.Page, error) {
	if q.IsPlain() {
		return v.View.List(ctx, q)
	}
	plain := read.ListQuery{Collection: q.Collection, Pin: q.Pin, Limit: 7}
	inOrder := q.Order.IsDefault()
	if inOrder {
		plain.After = q.After
	}
	return read.Scan(&q, inOrder, func(yield func(*read.Row) bool) error {
		for {
			page, err := v.View.List(ctx, plain)
			if err != nil {
				return err
			}
			for i := range page.Rows {
				if !yield(&page.Rows[i]) {
					return nil
				}
			}
			if !page.More {
				return nil
			}
			last := page.Rows[len(page.Rows)-1].Key
			plain.After = &last
		}
	})
}

func TestScan(t *testing.T) {
	Run(t, func(*testing.T) Subject { return scanning{NewMemory()} })
}

func TestScanScripts(t *testing.T) {
	Replay(t, func(*testing.T) Site { return EngineSite(scanning{NewMemory()}) })
}
