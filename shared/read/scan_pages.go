package read

import "context"

// ScanPages is Scan for a store that can list whole collections in the default order: it walks them in plain pages.
func ScanPages(ctx context.Context, q *ListQuery, list func(ctx context.Context, plain ListQuery) (Page, error)) (Page, error) {
	plain := ListQuery{Collection: q.Collection, Pin: q.Pin, Limit: maxPlain, Bytes: q.Bytes}
	inOrder := q.Order.IsDefault()
	if inOrder {
		plain.After = q.After
	}
	return Scan(q, inOrder, func(yield func(*Row) bool) error {
		for {
			page, err := list(ctx, plain)
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

// maxPlain is how many rows a page of a scan has: the most that a store is asked for.
const maxPlain = 100
