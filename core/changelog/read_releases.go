package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// releaseBodies reads the releases that rows refer to, by number. It stops before the row whose release would be too
// much for one reading, and returns how many rows it took.
func releaseBodies(ctx context.Context, q batcher, log string, rows []row) (map[int64]*recordpb.Release, int, error) {
	numbers := refs(rows, record.KindRelease)
	if len(numbers) == 0 {
		return nil, len(rows), nil
	}
	releases, sizes, err := releaseHeads(ctx, q, log, numbers)
	if err != nil {
		return nil, 0, err
	}
	taken, items := 0, 0
	for _, r := range rows {
		if size := sizes[r.ref]; r.kind == record.KindRelease {
			if taken > 0 && items+size > readItems {
				break
			}
			items += size
		}
		taken++
	}
	return releases, taken, releaseItems(ctx, q, log, refs(rows[:taken], record.KindRelease), releases)
}

func releaseHeads(ctx context.Context, q batcher, project string, numbers []int64) (map[int64]*recordpb.Release, map[int64]int, error) {
	releases, sizes := map[int64]*recordpb.Release{}, map[int64]int{}
	rows, err := q.Query(ctx, `SELECT number, published_at, change_set_id, item_count FROM release
		WHERE project_id = $1 AND number = ANY($2)`, project, numbers)
	if err != nil {
		return nil, nil, fmt.Errorf("reading releases of %s: %w", project, err)
	}
	var number int64
	var at time.Time
	var set string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&number, &at, &set, &count}, func() error {
		releases[number] = &recordpb.Release{
			Number: uint64(number), PublishedMs: at.UnixMilli(), ChangeSet: set,
			Items: make([]*recordpb.Item, 0, count),
		}
		sizes[number] = count
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading releases of %s: %w", project, err)
	}
	return releases, sizes, nil
}

// releaseItems fills in the items, in the order of entry ids.
func releaseItems(ctx context.Context, q batcher, project string, numbers []int64, releases map[int64]*recordpb.Release) error {
	rows, err := q.Query(ctx, `SELECT i.number, i.operation, i.entry_id, i.collection, coalesce(i.revision_id, ''),
			coalesce(r.slug, ''), coalesce(r.schema_version, 0), r.fields, r.fields_hash
		FROM release_item i LEFT JOIN revision r ON r.id = i.revision_id
		WHERE i.project_id = $1 AND i.number = ANY($2) ORDER BY i.number, i.entry_id`, project, numbers)
	if err != nil {
		return fmt.Errorf("reading items of %s: %w", project, err)
	}
	defer rows.Close()
	for rows.Next() {
		it := &recordpb.Item{}
		var number int64
		var operation content.Operation
		var fields *string
		if err := rows.Scan(&number, &operation, &it.Entry, &it.Collection, &it.Revision, &it.Slug, &it.SchemaVersion,
			&fields, &it.FieldsHash); err != nil {
			return fmt.Errorf("reading items of %s: %w", project, err)
		}
		if it.Operation = recordOperation(operation); it.Operation == recordpb.Operation_OPERATION_PUT {
			if fields == nil {
				return fmt.Errorf("release %d of %s: revision %s of entry %s is gone", number, project, it.Revision, it.Entry)
			}
			it.Fields = []byte(*fields)
		} else {
			it.Revision, it.Slug, it.SchemaVersion, it.FieldsHash = "", "", 0, nil
		}
		releases[number].Items = append(releases[number].Items, it)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading items of %s: %w", project, err)
	}
	return nil
}

// recordOperation returns how a record names what a release does to an entry.
func recordOperation(o content.Operation) recordpb.Operation {
	switch o {
	case content.OperationCreate, content.OperationUpdate:
		return recordpb.Operation_OPERATION_PUT
	case content.OperationUnpublish:
		return recordpb.Operation_OPERATION_UNPUBLISH
	case content.OperationDelete:
		return recordpb.Operation_OPERATION_DELETE
	}
	return recordpb.Operation_OPERATION_UNSPECIFIED
}
