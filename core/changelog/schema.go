package changelog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// schemaBodies reads the schema pushes that rows refer to, by number, with their collections by name.
func schemaBodies(ctx context.Context, q batcher, log string, rows []row) (map[int64]*recordpb.Schema, error) {
	numbers := refs(rows, record.KindSchema)
	if len(numbers) == 0 {
		return nil, nil
	}
	return schemaPushes(ctx, q, log, numbers)
}

func schemaPushes(ctx context.Context, q batcher, log string, numbers []int64) (map[int64]*recordpb.Schema, error) {
	found, err := q.Query(ctx, `SELECT p.number, p.from_release, c.name, coalesce(c.version, 0), coalesce(c.label, ''),
			coalesce(v.canonical, ''), coalesce(v.hash, '')
		FROM schema_push p
		LEFT JOIN schema_push_collection c USING (project_id, number)
		LEFT JOIN collection_version v ON v.project_id = p.project_id AND v.name = c.name AND v.version = c.version
		WHERE p.project_id = $1 AND p.number = ANY($2) ORDER BY p.number, c.name`, log, numbers)
	if err != nil {
		return nil, fmt.Errorf("reading schema pushes of %s: %w", log, err)
	}
	pushes := map[int64]*recordpb.Schema{}
	var number int64
	var from, version uint64
	var name *string
	var label, canonical, hash string
	_, err = pgx.ForEachRow(found, []any{&number, &from, &name, &version, &label, &canonical, &hash}, func() error {
		push := pushes[number]
		if push == nil {
			push = &recordpb.Schema{FromRelease: from}
			pushes[number] = push
		}
		switch {
		case name == nil:
		case version == 0:
			push.Removed = append(push.Removed, *name)
		default:
			push.Collections = append(push.Collections, &recordpb.CollectionVersion{
				Name: *name, Version: uint32(version), Canonical: []byte(canonical), Hash: hash, Label: label,
			})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading schema pushes of %s: %w", log, err)
	}
	return pushes, nil
}
