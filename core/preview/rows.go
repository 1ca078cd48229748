package preview

import (
	"context"
	"math"
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

// selectPage is selectRows for a page in the order of a window named page, whose rows have fields only as long as those
// before them have less than $4 bytes of them. PostgreSQL tells their length without reading them.
const selectPage = `SELECT e.id, p.revision_id, coalesce(p.slug, ''), l.published_at, r.schema_version,
	CASE WHEN sum(octet_length(r.fields)) OVER page - octet_length(r.fields) < $4::bigint THEN r.fields END,
	coalesce(e.rank, '') FROM entry e` + live

// List implements read.View: first the arranged entries by rank, then the others by id, newest first.
func (v *view) List(ctx context.Context, q read.ListQuery) (read.Page, error) {
	if !q.IsPlain() {
		return v.scan(ctx, &q)
	}
	after := read.Key{}
	if q.After != nil {
		after = *q.After
	}
	p := pageReader{view: v, query: q}
	if !after.Missing {
		err := p.add(ctx, `AND e.rank IS NOT NULL AND (e.rank, e.id) > ($5, $6)
			WINDOW page AS (ORDER BY e.rank, e.id ROWS UNBOUNDED PRECEDING) ORDER BY e.rank, e.id LIMIT $7`, after.Value, string(after.Entry))
		if err != nil || p.page.More {
			return p.page, err
		}
	}
	before := endOfEntries
	if after.Missing {
		before = string(after.Entry)
	}
	err := p.add(ctx, `AND e.rank IS NULL AND e.id < $5
		WINDOW page AS (ORDER BY e.id DESC ROWS UNBOUNDED PRECEDING) ORDER BY e.id DESC LIMIT $6`, before)
	return p.page, err
}

// endOfEntries follows every id of an entry.
const endOfEntries = "f"

// pageReader collects a page from several queries.
type pageReader struct {
	*view
	query read.ListQuery
	page  read.Page
	size  int // of the fields so far, in bytes
}

// add appends the rows of a query that begins with selectPage, as far as the page takes them. It asks for one row more.
func (p *pageReader) add(ctx context.Context, rest string, args ...any) error {
	room := math.MaxInt
	if p.query.Bytes > 0 {
		room = p.query.Bytes - p.size
	}
	args = append([]any{p.query.Collection, p.at(p.query.Pin), room}, args...)
	rows, err := p.rows(ctx, selectPage+" "+rest, append(args, p.query.Limit-len(p.page.Rows)+1)...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if p.page.More = len(p.page.Rows) == p.query.Limit || row.Fields == nil; p.page.More {
			return nil
		}
		p.page.Rows = append(p.page.Rows, row)
		p.size += len(row.Fields)
	}
	return nil
}

// rows returns the rows of a query that begins with selectRows or selectPage; $1 is the project.
func (v *view) rows(ctx context.Context, sql string, args ...any) (all []read.Row, err error) {
	err = v.each(ctx, func(row *read.Row) bool {
		kept := *row
		kept.Fields = slices.Clone(row.Fields)
		all = append(all, kept)
		return true
	}, sql, args...)
	return all, err
}

// each passes the rows of such a query as they come, until see returns false. Their fields are valid during the call.
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
	return v.one(ctx, `AND e.id = $4`, collection, v.at(pin), string(id))
}

// BySlug implements read.View.
func (v *view) BySlug(ctx context.Context, collection, slug string, pin uint64) (read.Row, bool, error) {
	if slug == "" {
		return read.Row{}, false, nil
	}
	return v.one(ctx, `AND e.id = (
		SELECT entry_id FROM publication
		WHERE project_id = $1 AND collection = $2 AND slug = $4 AND from_release <= $3 AND to_release > $3)`,
		collection, v.at(pin), slug)
}

func (v *view) one(ctx context.Context, rest string, args ...any) (read.Row, bool, error) {
	rows, err := v.rows(ctx, selectRows+" "+rest, args...)
	if err != nil || len(rows) == 0 {
		return read.Row{}, false, err
	}
	rows[0].Key = read.Key{}
	return rows[0], true, nil
}

// FormerSlug implements read.View.
func (v *view) FormerSlug(ctx context.Context, collection, slug string, pin uint64) (string, bool, error) {
	rows, err := v.tx.Query(ctx, `
		SELECT now.slug FROM publication former
		JOIN publication now ON now.entry_id = former.entry_id AND now.from_release <= $4 AND now.to_release > $4
		WHERE former.project_id = $1 AND former.collection = $2 AND former.slug = $3 AND former.from_release <= $4
		  AND now.slug <> $3
		ORDER BY former.from_release DESC LIMIT 1`, string(v.project.ID), collection, slug, v.at(pin))
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
