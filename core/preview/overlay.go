package preview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
)

// Tokens is a read.Previews on PostgreSQL, for views of a Store.
type Tokens struct{ Pool *pgxpool.Pool }

// Preview implements read.Previews. A token of a project that was deleted is none.
func (t Tokens) Preview(ctx context.Context, publicID string) (*read.Preview, error) {
	p := &read.Preview{Grant: credential.Grant{PublicID: publicID}}
	var hash []byte
	var opensPrivate bool
	err := t.Pool.QueryRow(ctx, `
		SELECT preview.id, p.organization_id, project_id, change_set_id, coalesce(entry_id, ''), hash, opens_private, collections,
		       expires_at, `+revokedAt+` IS NOT NULL
		FROM preview JOIN project p ON p.id = project_id AND p.deleted_at IS NULL WHERE public_id = $1`, publicID).Scan(
		&p.ID, &p.Organization, &p.Project, &p.ChangeSet, &p.Entry, &hash, &opensPrivate, &p.Collections, &p.ExpiresAt, &p.Revoked)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(err, "looking up a preview token")
	}
	if copy(p.Hash[:], hash) != len(p.Hash) {
		return nil, fmt.Errorf("the stored hash of %s has %d bytes", p.ID, len(hash))
	}
	if opensPrivate {
		p.Scopes = []credential.Scope{credential.ContentRead}
	}
	return p, nil
}

// View implements read.Previews. What a published set showed reads as published.
func (t Tokens) View(ctx context.Context, of read.View, p *read.Preview) (read.View, error) {
	v, ok := of.(*view)
	if !ok {
		return nil, fmt.Errorf("a preview over a view of type %T", of)
	}
	var status content.ChangeSetStatus
	err := v.tx.QueryRow(ctx, `SELECT status FROM change_set WHERE id = $1 AND project_id = $2`, p.ChangeSet, v.project.ID).Scan(&status)
	switch {
	case err != nil:
		return nil, failed(err, "reading the change set of a preview")
	case status == content.ChangeSetClosed:
		return nil, closedSet()
	case status == content.ChangeSetPublished:
		return v, nil
	}
	if err := postgres.BeginBulk(ctx, v.tx); err != nil {
		return nil, failed(err, "opening a preview")
	}
	return &overlay{view: v, token: p}, nil
}

// closedSet refuses a token whose change set was closed.
func closedSet() error {
	return fault.New(fault.AuthenticationRequired, "the change set of the preview token was closed")
}

// overlay is a view of what is published and, in its place, of what a change set stages. It reads the head alone.
type overlay struct {
	*view
	token *read.Preview
}

// mostPublished is how many published entries a previewed list is made of (contract, "Limits").
const mostPublished = 5000

// staged joins, to the entries e of a collection, the items i that the token shows, and the revision r that each entry then has. The
// others have no revision there: $3 is the set, $4 the only entry whose draft is shown, $5 the collections that the token is confined to.
// OFFSET has PostgreSQL look items and releases up by their keys: where it takes them for few, it would go through all for each entry.
const staged = `
	LEFT JOIN LATERAL (
		SELECT resource_id, target_revision_id, slug FROM change_set_item
		WHERE change_set_id = $3 AND resource_type = 'entry' AND resource_id = e.id
			AND ($4 = '' OR e.id = $4) AND ($5::text[] IS NULL OR e.collection = ANY ($5)) OFFSET 0) i ON true
	JOIN revision r ON r.id = CASE WHEN i.resource_id IS NULL THEN e.published_revision_id ELSE i.target_revision_id END
	LEFT JOIN LATERAL (
		SELECT published_at FROM release
		WHERE project_id = e.project_id AND number = e.published_release AND e.published_revision_id IS NOT NULL OFFSET 0) l ON true
	WHERE e.project_id = $1 AND e.collection = $2`

const (
	stagedSlug = `CASE WHEN i.resource_id IS NULL THEN e.published_slug ELSE i.slug END`

	// stagedColumns are those of selectRows, but for the fields. An entry that is not published has the time 0.
	stagedColumns = `SELECT e.id, r.id, coalesce(` + stagedSlug + `, ''), coalesce(l.published_at, 'epoch'), r.schema_version, %s, coalesce(e.rank, '')`

	// stagedAt is staged for the entries of a table of few places. OFFSET has PostgreSQL begin with these, whatever it takes the collection
	// to be like.
	stagedAt = ` CROSS JOIN LATERAL (SELECT * FROM entry WHERE entry.id = place.id OFFSET 0) e` + staged
)

var (
	selectStaged = fmt.Sprintf(stagedColumns, `r.fields`) + ` FROM entry e` + staged

	selectStagedSlug = fmt.Sprintf(stagedColumns, `r.fields`) + ` FROM (
			SELECT resource_id FROM change_set_item WHERE CASE WHEN live THEN slug END = $6 AND change_set_id = $3 AND collection = $2
			UNION
			SELECT id FROM entry WHERE project_id = $1 AND collection = $2 AND published_slug = $6) place (id)` + stagedAt + `
		AND ` + stagedSlug + ` = $6 ORDER BY i.resource_id IS NULL LIMIT 1`

	// selectStagedStep is selectStep for the entries $6, in their order.
	selectStagedStep = fmt.Sprintf(stagedColumns, fmt.Sprintf(
		`CASE WHEN sum(octet_length(r.fields)) OVER step - octet_length(r.fields) < %d THEN r.fields END`, stepBytes)) + `
		FROM unnest($6::text[]) WITH ORDINALITY AS place (id, n)` + stagedAt + `%s
		WINDOW step AS (ORDER BY place.n ROWS UNBOUNDED PRECEDING) ORDER BY place.n`
)

// args are $2 to $5 of staged, and more.
func (o *overlay) args(collection string, more ...any) []any {
	return append([]any{collection, string(o.token.ChangeSet), string(o.token.Entry), o.confined()}, more...)
}

func (o *overlay) confined() []string {
	if len(o.token.Collections) == 0 {
		return nil
	}
	return o.token.Collections
}

// ByID implements read.View.
func (o *overlay) ByID(ctx context.Context, collection string, id content.EntryID, _ uint64) (read.Row, bool, error) {
	return o.one(ctx, selectStaged+` AND e.id = $6`, o.args(collection, string(id))...)
}

// BySlug implements read.View. Where a draft takes the slug of an entry that still has it, which no publish would let pass, the draft
// answers.
func (o *overlay) BySlug(ctx context.Context, collection, slug string, _ uint64) (read.Row, bool, error) {
	if slug == "" {
		return read.Row{}, false, nil
	}
	return o.one(ctx, selectStagedSlug, o.args(collection, slug)...)
}

// FormerSlug implements read.View.
func (o *overlay) FormerSlug(ctx context.Context, collection, slug string, _ uint64) (string, bool, error) {
	return o.slug(ctx, `SELECT `+stagedSlug+` FROM (
			SELECT entry_id, from_release FROM publication WHERE project_id = $1 AND collection = $2 AND slug = $6) place (id, former)`+stagedAt+`
		AND `+stagedSlug+` <> $6 ORDER BY place.former DESC LIMIT 1`, o.args(collection, slug)...)
}

// History implements read.View. What the set proposed of the entry comes first, earlier drafts too: a walk goes on behind a row whose
// draft was replaced meanwhile.
func (o *overlay) History(ctx context.Context, collection string, id content.EntryID, pin uint64, see func(fields []byte) bool) error {
	more := true
	err := o.eachFields(ctx, func(fields []byte) bool {
		more = see(fields)
		return more
	}, `SELECT fields FROM revision WHERE project_id = $1 AND entry_id = $2 AND change_set_id = $3 ORDER BY id DESC`,
		string(id), string(o.token.ChangeSet))
	if err != nil || !more {
		return err
	}
	return o.view.History(ctx, collection, id, pin, see)
}

// Backlinks implements read.View.
func (o *overlay) Backlinks(ctx context.Context, target content.EntryID, pin uint64, from []string, limit int) ([]read.Backlink, error) {
	return o.backlinks(ctx, target, pin, from, limit, selectStaged, func(collection string) []any { return o.args(collection) })
}

// List implements read.View. It reads which entries the list is made of, and then their rows as they are needed.
func (o *overlay) List(ctx context.Context, q read.ListQuery) (read.Page, error) {
	places, err := o.places(ctx, q.Collection)
	if err != nil {
		return read.Page{}, err
	}
	ordered := q.Order.IsDefault()
	if ordered && q.After != nil {
		places = places[sort.Search(len(places), func(i int) bool { return read.CompareKeys(&q.Order, &places[i], q.After) > 0 }):]
	}
	return read.Scan(&q, ordered, func(yield func(*read.Row) bool) error { return o.walk(ctx, &q, places, yield) })
}

// places are the entries of a list, in the default order: the first mostPublished of those that are published, and all that have a
// draft, without those that the set takes away.
func (o *overlay) places(ctx context.Context, collection string) ([]read.Key, error) {
	var published, drafts []read.Key
	away := map[content.EntryID]bool{} // of the published ones: they go, or are among the drafts
	batch := &pgx.Batch{}
	// The first entries come from the index of their order, even where statistics are missing and say that there are few to sort; and
	// from that of their collection, not from that of all entries, even where nearly all seem to be in this one.
	batch.Queue(`SELECT set_config('enable_sort', 'off', true)`)
	for _, part := range []string{
		`project_id = $1 AND collection = $2 AND rank IS NOT NULL ORDER BY rank, id`,
		`(project_id, collection, id) > ($1, $2, '') AND (project_id, collection, id) < ($1, $2, '` + endOfEntries + `') AND rank IS NULL
			ORDER BY project_id DESC, collection DESC, id DESC`,
	} {
		batch.Queue(`SELECT id, coalesce(rank, '') FROM entry WHERE published_revision_id IS NOT NULL AND `+part+` LIMIT $3`,
			string(o.project.ID), collection, mostPublished).Query(func(rows pgx.Rows) (err error) {
			published, err = pgx.AppendRows(published, rows, scanPlace)
			return err
		})
	}
	batch.Queue(`SELECT e.id, coalesce(e.rank, ''), i.target_revision_id IS NOT NULL FROM change_set_item i
		CROSS JOIN LATERAL (SELECT id, rank FROM entry WHERE entry.id = i.resource_id OFFSET 0) e
		WHERE i.change_set_id = $1 AND i.resource_type = 'entry' AND i.collection = $2 AND ($3 = '' OR i.resource_id = $3)
		  AND ($4::text[] IS NULL OR i.collection = ANY ($4))`,
		string(o.token.ChangeSet), collection, string(o.token.Entry), o.confined()).Query(func(rows pgx.Rows) error {
		var place read.Key
		var stays bool
		_, err := pgx.ForEachRow(rows, []any{&place.Entry, &place.Value, &stays}, func() error {
			place.Missing = place.Value == ""
			away[place.Entry] = true
			if stays {
				drafts = append(drafts, place)
			}
			return nil
		})
		return err
	})
	batch.Queue(`SELECT set_config('enable_sort', 'on', true)`)
	if err := o.tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, failed(err, "reading what a previewed list is made of")
	}
	published = published[:min(len(published), mostPublished)]
	places := slices.DeleteFunc(published, func(p read.Key) bool { return away[p.Entry] })
	places = append(places, drafts...)
	order := query.Order{}
	slices.SortFunc(places, func(a, b read.Key) int { return read.CompareKeys(&order, &a, &b) })
	return places, nil
}

func scanPlace(row pgx.CollectableRow) (place read.Key, err error) {
	err = row.Scan(&place.Entry, &place.Value)
	place.Missing = place.Value == ""
	return place, err
}

// walk passes the rows of these entries in their order, step by step as orderedWalk does, until yield returns false.
func (o *overlay) walk(ctx context.Context, q *read.ListQuery, places []read.Key, yield func(*read.Row) bool) error {
	for size := q.Limit + 1; len(places) > 0; size = min(4*size, largestStep) {
		step := places[:min(size, len(places))]
		ids := make([]string, len(step))
		for i, place := range step {
			ids[i] = string(place.Entry)
		}
		n := newNarrow(&q.Conditions, o.args(q.Collection, ids)...)
		last, done, cut := content.EntryID(""), false, false
		err := o.each(ctx, func(row *read.Row) bool {
			if cut = row.Fields == nil; cut {
				return false
			}
			last = row.Entry
			done = !yield(row)
			return !done
		}, fmt.Sprintf(selectStagedStep, n.sql.String()), n.args...)
		if err != nil || done {
			return err
		}
		passed := len(step)
		if cut {
			passed = 1 + slices.IndexFunc(step, func(place read.Key) bool { return place.Entry == last })
		}
		places = places[passed:]
	}
	return nil
}
