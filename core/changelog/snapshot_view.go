package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/fault"
)

// view implements snapshot.View.
type view struct {
	tx                    pgx.Tx
	log                   string
	at                    record.Position
	time                  time.Time
	project, organization bool
	segments              []*recordpb.Part
}

func openView(ctx context.Context, tx pgx.Tx, log string) (*view, error) {
	v := &view{tx: tx, log: log}
	var err error
	if v.at, err = Head(ctx, tx, log); err != nil {
		return nil, err
	}
	if err := tx.QueryRow(ctx, `SELECT transaction_timestamp(), EXISTS (SELECT FROM project WHERE id = $1),
		EXISTS (SELECT FROM organization WHERE id = $1)`, log).Scan(&v.time, &v.project, &v.organization); err != nil {
		return nil, fmt.Errorf("opening a view of log %s: %w", log, err)
	}
	if !v.project && !v.organization {
		return nil, fault.New(fault.NotFound, "the log %q is of no project and no organization", log)
	}
	if v.segments, err = segments(ctx, tx, log); err != nil {
		return nil, fmt.Errorf("reading the segments of log %s: %w", log, err)
	}
	return v, nil
}

// Position implements snapshot.View.
func (v *view) Position() record.Position { return v.at }

// Time implements snapshot.View.
func (v *view) Time() time.Time { return v.time }

// Segments implements snapshot.View.
func (v *view) Segments() []*recordpb.Part { return v.segments }

// Releases implements snapshot.View. It holds as much as one reading takes, or one release that is larger.
func (v *view) Releases(ctx context.Context, after uint64, emit func(*recordpb.Release) error) error {
	for v.project {
		rows, err := v.tx.Query(ctx, `SELECT number FROM release WHERE project_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
			v.log, after, readChanges)
		if err != nil {
			return fmt.Errorf("reading releases of %s: %w", v.log, err)
		}
		numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return fmt.Errorf("reading releases of %s: %w", v.log, err)
		}
		if len(numbers) == 0 {
			return nil
		}
		read, err := v.someReleases(ctx, numbers, emit)
		if err != nil {
			return err
		}
		after = uint64(numbers[read-1])
	}
	return nil
}

// someReleases emits as many releases of the list as one reading takes, at least one, and returns how many.
func (v *view) someReleases(ctx context.Context, numbers []int64, emit func(*recordpb.Release) error) (int, error) {
	asked := make([]row, len(numbers))
	for i, n := range numbers {
		asked[i] = row{kind: record.KindRelease, ref: n}
	}
	releases, taken, err := releaseBodies(ctx, v.tx, v.log, asked)
	if err != nil {
		return 0, err
	}
	for _, n := range numbers[:taken] {
		if err := emit(releases[n]); err != nil {
			return 0, err
		}
	}
	return taken, nil
}

// rankBatch is how many entries one body of ranks has.
const rankBatch = 1000

// Ranks implements snapshot.View.
func (v *view) Ranks(ctx context.Context, emit snapshot.Emit) error {
	if !v.project {
		return nil
	}
	batch := &recordpb.Rank{}
	flush := func(next string) error {
		full := batch
		batch = &recordpb.Rank{Collection: next}
		if len(full.Entries) == 0 {
			return nil
		}
		return emit(record.KindRank, full)
	}
	err := v.ranked(ctx, func(collection, entry, rank string) error {
		if collection != batch.Collection || len(batch.Entries) == rankBatch {
			if err := flush(collection); err != nil {
				return err
			}
		}
		batch.Entries = append(batch.Entries, &recordpb.RankedEntry{Entry: entry, Rank: rank})
		return nil
	})
	if err != nil {
		return err
	}
	return flush("")
}

func (v *view) ranked(ctx context.Context, each func(collection, entry, rank string) error) error {
	rows, err := v.tx.Query(ctx, `SELECT collection, id, rank FROM entry
		WHERE project_id = $1 AND rank IS NOT NULL ORDER BY collection, rank, id`, v.log)
	if err != nil {
		return fmt.Errorf("reading the ranks of %s: %w", v.log, err)
	}
	var collection, entry, rank string
	if _, err = pgx.ForEachRow(rows, []any{&collection, &entry, &rank}, func() error { return each(collection, entry, rank) }); err != nil {
		return fmt.Errorf("reading the ranks of %s: %w", v.log, err)
	}
	return nil
}
