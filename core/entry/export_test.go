package entry

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/shared/content"
)

// ChunkBytes is how much content is read at a time.
var ChunkBytes = usualChunk.bytes

// RebaseInChunks is Rebase with chunks of so many items and bytes.
func RebaseInChunks(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, changeSet string, on OnConflict, dryRun bool, items, bytes int) (*Rebased, error) {
	return rebaseBy(ctx, pool, actor, id, changeSet, on, dryRun, chunkSize{items, bytes})
}

// Fit returns how many items of these sizes come into a chunk of so many items and bytes.
func Fit(items, bytes int, sizes ...int) int { return chunkSize{items, bytes}.fit(sizes) }
