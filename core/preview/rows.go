package preview

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"svc/shared/content"
	"svc/shared/read"
)

// live is the part of a query that every read of rows shares: the publication p of each entry e that is in force at
// release $3, its revision r and the release l that put it in force. One descent into the index of publications
// finds it, however often the entry was published.
const live = `
	CROSS JOIN LATERAL (
		SELECT revision_id, slug, from_release, to_release FROM publication
		WHERE entry_id = e.id AND from_release <= $3 ORDER BY from_release DESC LIMIT 1) p
	JOIN revision r ON r.id = p.revision_id
	JOIN release l ON l.project_id = e.project_id AND l.number = p.from_release
	WHERE e.project_id = $1 AND e.collection = $2 AND p.to_release > $3`

const selectRows = `SELECT e.id, p.revision_id, coalesce(p.slug, ''), l.published_at, r.schema_version, r.fields,
	coalesce(e.rank, '') FROM entry e` + live

// each passes the rows of a query for the columns of selectRows as they come, until see returns false. Their fields are valid
// during the call. $1 is the project.
func (v *view) each(ctx context.Context, see func(*read.Row) bool, sql string, args ...any) error {
	rows, err := v.tx.Query(ctx, sql, append([]any{string(v.project.ID)}, args...)...)
	if err != nil {
		return failed(err, "reading published entries")
	}
	defer rows.Close()
	for rows.Next() {
		var row read.Row
		var published time.Time
		err := rows.Scan(&row.Entry, &row.Revision, &row.Slug, &published, &row.SchemaVersion, (*pgtype.DriverBytes)(&row.Fields), &row.Key.Value)
		if err != nil {
			return failed(err, "reading published entries")
		}
		row.PublishedAt = published.UnixMilli()
		row.Key.Entry, row.Key.Missing = row.Entry, row.Key.Value == ""
		if !see(&row) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return failed(err, "reading published entries")
	}
	return nil
}

// ByID implements read.View.
func (v *view) ByID(ctx context.Context, collection string, id content.EntryID, pin uint64) (read.Row, bool, error) {
	return v.one(ctx, selectRows+` AND e.id = $4`, collection, v.at(pin), string(id))
}

// BySlug implements read.View.
func (v *view) BySlug(ctx context.Context, collection, slug string, pin uint64) (read.Row, bool, error) {
	if slug == "" {
		return read.Row{}, false, nil
	}
	return v.one(ctx, selectRows+` AND e.id = (
		SELECT entry_id FROM publication
		WHERE project_id = $1 AND collection = $2 AND slug = $4 AND from_release <= $3 AND to_release > $3)`,
		collection, v.at(pin), slug)
}

func (v *view) one(ctx context.Context, sql string, args ...any) (found read.Row, ok bool, err error) {
	err = v.each(ctx, func(row *read.Row) bool {
		found, ok = *row, true
		found.Fields, found.Key = slices.Clone(row.Fields), read.Key{}
		return false
	}, sql, args...)
	return found, ok, err
}

// History implements read.View.
func (v *view) History(ctx context.Context, collection string, id content.EntryID, pin uint64, see func(fields []byte) bool) error {
	return v.eachFields(ctx, see, `SELECT r.fields FROM publication p JOIN revision r ON r.id = p.revision_id
		WHERE p.project_id = $1 AND p.collection = $2 AND p.entry_id = $3 AND p.from_release <= $4
		ORDER BY p.from_release DESC`, collection, string(id), v.at(pin))
}

// eachFields passes the fields of revisions that a query finds, until see returns false. $1 is the project.
func (v *view) eachFields(ctx context.Context, see func(fields []byte) bool, sql string, args ...any) error {
	rows, err := v.tx.Query(ctx, sql, append([]any{string(v.project.ID)}, args...)...)
	if err != nil {
		return failed(err, "reading the revisions of an entry")
	}
	defer rows.Close()
	for rows.Next() {
		var fields pgtype.DriverBytes
		if err := rows.Scan(&fields); err != nil {
			return failed(err, "reading the revisions of an entry")
		}
		if !see(fields) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return failed(err, "reading the revisions of an entry")
	}
	return nil
}

// FormerSlug implements read.View.
func (v *view) FormerSlug(ctx context.Context, collection, slug string, pin uint64) (string, bool, error) {
	return v.slug(ctx, `
		SELECT now.slug FROM publication former
		JOIN publication now ON now.entry_id = former.entry_id AND now.from_release <= $4 AND now.to_release > $4
		WHERE former.project_id = $1 AND former.collection = $2 AND former.slug = $3 AND former.from_release <= $4
		  AND now.slug <> $3
		ORDER BY former.from_release DESC LIMIT 1`, collection, slug, v.at(pin))
}

// slug returns the slug that a query finds, and false where it finds none. $1 is the project.
func (v *view) slug(ctx context.Context, sql string, args ...any) (string, bool, error) {
	rows, err := v.tx.Query(ctx, sql, append([]any{string(v.project.ID)}, args...)...)
	if err != nil {
		return "", false, failed(err, "looking for a former slug")
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", false, failed(err, "looking for a former slug")
	}
	if len(found) == 0 {
		return "", false, nil
	}
	return found[0], true, nil
}
