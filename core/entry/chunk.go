package entry

import (
	"context"
	"slices"

	"svc/shared/content"
)

// chunkSize is how much is read at a time: so many items, with so many bytes of content unless one item alone has more.
type chunkSize struct{ items, bytes int }

var usualChunk = chunkSize{items: chunkRows, bytes: 8 << 20}

// fit returns how many items, of which these are the sizes, come into a chunk.
func (c chunkSize) fit(sizes []int) int {
	bytes := 0
	for n, size := range sizes[:min(len(sizes), c.items)] {
		if bytes += size; bytes > c.bytes && n > 0 {
			return n
		}
	}
	return min(len(sizes), c.items)
}

// stageEach passes each item with the revisions that it needs, and perhaps those of others. They are read in chunks, and the drafts of
// one are stored before the next: not all content is in memory at once, and PostgreSQL, which ends a transaction that it hears nothing of,
// need not wait until all is composed.
func stageEach[T any](ctx context.Context, s *staging, items []T, needs func(T) []*content.RevisionID, stage func(context.Context, T, revisions) error) error {
	needed := make([][]content.RevisionID, len(items))
	for n, item := range items {
		for _, id := range needs(item) {
			if id != nil {
				needed[n] = append(needed[n], *id)
			}
		}
	}
	known, err := readRevisions(ctx, s.tx, slices.Concat(needed...), false)
	if err != nil {
		return err
	}
	sizes := make([]int, len(items))
	for n, ids := range needed {
		for _, id := range ids {
			sizes[n] += known[id].size
		}
	}
	for first, next := 0, 0; first < len(items); first = next {
		next += s.most.fit(sizes[first:])
		read, err := readRevisions(ctx, s.tx, slices.Concat(needed[first:next]...), true)
		if err != nil {
			return err
		}
		for _, item := range items[first:next] {
			if err := stage(ctx, item, read); err != nil {
				return err
			}
		}
		if err := s.store(ctx); err != nil {
			return err
		}
	}
	return nil
}
