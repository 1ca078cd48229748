package changelog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
)

// StateHash implements snapshot.View, from the rows that core itself reads: entries, collections, releases, settings
// and keys as they are now.
func (v *view) StateHash(ctx context.Context) (sum record.StateSum, err error) {
	add := func(row record.StateSum) { sum = sum.Add(row) }
	if v.organization {
		return sum, v.organizationState(ctx, organizationRows(add))
	}
	settings, err := v.settings(ctx)
	if err != nil {
		return sum, err
	}
	add(record.ProjectRow(settings[len(settings)-1]))
	err = v.ranked(ctx, func(collection, entry, rank string) error {
		add(record.RankRow(collection, entry, rank))
		return nil
	})
	if err != nil {
		return sum, err
	}
	return sum, v.projectRows(ctx, add)
}

func organizationRows(add func(record.StateSum)) snapshot.Emit {
	return func(_ record.Kind, body proto.Message) error {
		switch b := body.(type) {
		case *recordpb.Organization:
			add(record.OrganizationRow(b))
		case *recordpb.Key:
			add(record.KeyRow(b))
		}
		return nil
	}
}

func (v *view) projectRows(ctx context.Context, add func(record.StateSum)) error {
	var collection, entry, revision, slug, hash, label string
	var version uint32
	var number uint64
	var ms int64
	for _, scan := range []struct {
		sql string
		to  []any
		row func() record.StateSum
	}{
		{`SELECT collection, id, published_revision_id, coalesce(published_slug, '') FROM entry
			WHERE project_id = $1 AND published_revision_id IS NOT NULL`,
			[]any{&collection, &entry, &revision, &slug},
			func() record.StateSum { return record.EntryRow(collection, entry, revision, slug) }},
		{`SELECT c.name, c.version, v.hash, c.label FROM collection c JOIN collection_version v USING (project_id, name, version)
			WHERE c.project_id = $1 AND c.removed_at IS NULL`,
			[]any{&collection, &version, &hash, &label},
			func() record.StateSum { return record.SchemaRow(collection, version, hash, label) }},
		{`SELECT number, (extract(epoch FROM published_at) * 1000)::bigint FROM release WHERE project_id = $1`,
			[]any{&number, &ms},
			func() record.StateSum { return record.ReleaseRow(number, ms) }},
	} {
		rows, err := v.tx.Query(ctx, scan.sql, v.log)
		if err == nil {
			_, err = pgx.ForEachRow(rows, scan.to, func() error { add(scan.row()); return nil })
		}
		if err != nil {
			return fmt.Errorf("hashing the state of %s: %w", v.log, err)
		}
	}
	return nil
}

// StateHash returns a log's position and the hash of its state there.
func (s *Source) StateHash(ctx context.Context, log string) (at record.Position, sum record.StateSum, err error) {
	err = s.View(ctx, log, func(v snapshot.View) error {
		at = v.Position()
		sum, err = v.StateHash(ctx)
		return err
	})
	return at, sum, err
}
