package changelog

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/core/postgres/postgrestest"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

func database(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return postgrestest.Open(t)
}

func source(t testing.TB, pool *pgxpool.Pool) *Source {
	return NewSource(pool, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
}

func exec(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func inTx(t testing.TB, pool *pgxpool.Pool, do func(tx pgx.Tx) error) {
	t.Helper()
	if err := postgres.InTx(t.Context(), pool, do); err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, pool *pgxpool.Pool, log string) {
	t.Helper()
	inTx(t, pool, func(tx pgx.Tx) error { return Create(t.Context(), tx, log) })
}

// name appends a change that gives the project another name.
func name(ctx context.Context, tx pgx.Tx, log, name string) error {
	return AppendMessage(ctx, tx, log, record.KindProject, &recordpb.Project{Id: log, Name: name})
}

// named appends n changes.
func named(t testing.TB, pool *pgxpool.Pool, log string, n int) record.Position {
	t.Helper()
	for i := range n {
		inTx(t, pool, func(tx pgx.Tx) error { return name(t.Context(), tx, log, fmt.Sprint("name ", i)) })
	}
	return head(t, pool, log)
}

func head(t testing.TB, pool *pgxpool.Pool, log string) record.Position {
	t.Helper()
	p, err := Head(t.Context(), pool, log)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fixture gives a log the rows that releases and schema pushes refer to.
type fixture struct {
	t    testing.TB
	pool *pgxpool.Pool
	log  string
	org  string
	next int
}

func newFixture(t testing.TB, pool *pgxpool.Pool, log string) *fixture {
	c := &fixture{t: t, pool: pool, log: log, org: "org_1"}
	exec(t, pool, `INSERT INTO organization (id, slug, name) VALUES ($1, $1, 'Press') ON CONFLICT DO NOTHING`, c.org)
	exec(t, pool, `INSERT INTO project (id, organization_id, slug, name, cursor_key) VALUES ($1, $2, $1, 'Magazine', '\x00')`, log, c.org)
	create(t, pool, log)
	return c
}

// release publishes puts entries, and takes away the entries named.
func (c *fixture) release(number, puts int, operation string, takes ...string) {
	c.t.Helper()
	ctx := c.t.Context()
	at := time.UnixMilli(1_760_000_000_000 + int64(number)).UTC()
	set := fmt.Sprintf("chs_%s_%d", c.log, number)
	inTx(c.t, c.pool, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO change_set (id, project_id, title) VALUES ($1, $2, 'Title')`, set, c.log)
		b.Queue(`INSERT INTO release (project_id, number, published_at, change_set_id, title, item_count) VALUES ($1, $2, $3, $4, 'Title', $5)`,
			c.log, number, at, set, puts+len(takes))
		var items []*recordpb.Item
		for range puts {
			c.next++
			entry, revision := fmt.Sprintf("ent_%s_%06d", c.log, c.next), fmt.Sprintf("rev_%s_%06d", c.log, c.next)
			fields := fmt.Sprintf(`{"n":%d}`, c.next)
			sum := sha256.Sum256([]byte(fields))
			b.Queue(`INSERT INTO entry (id, project_id, collection) VALUES ($1, $2, 'articles')`, entry, c.log)
			b.Queue(`INSERT INTO revision (id, project_id, entry_id, schema_version, slug, fields, fields_hash) VALUES ($1, $2, $3, 4, $4, $5, $6)`,
				revision, c.log, entry, fmt.Sprint("slug-", c.next), fields, sum[:])
			b.Queue(`INSERT INTO release_item (project_id, number, entry_id, collection, operation, revision_id) VALUES ($1, $2, $3, 'articles', 'create', $4)`,
				c.log, number, entry, revision)
			items = append(items, &recordpb.Item{Operation: recordpb.Operation_OPERATION_PUT, Entry: entry, Collection: "articles",
				Slug: fmt.Sprint("slug-", c.next), Revision: revision, SchemaVersion: 4, FieldsHash: sum[:]})
		}
		for _, entry := range takes {
			b.Queue(`INSERT INTO release_item (project_id, number, entry_id, collection, operation) VALUES ($1, $2, $3, 'articles', $4)`,
				c.log, number, entry, operation)
			items = append(items, &recordpb.Item{Operation: map[string]recordpb.Operation{"unpublish": recordpb.Operation_OPERATION_UNPUBLISH,
				"delete": recordpb.Operation_OPERATION_DELETE}[operation], Entry: entry, Collection: "articles"})
		}
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		slices.SortFunc(items, func(a, b *recordpb.Item) int { return strings.Compare(a.Entry, b.Entry) })
		digest := record.NewReleaseDigest()
		for _, it := range items {
			digest.Item(it)
		}
		_, err := Append(ctx, tx, c.log, record.KindRelease, digest.Sum(uint64(number), at.UnixMilli(), set), int64(number), nil)
		return err
	})
}

// push deploys one version of a collection and removes another collection.
func (c *fixture) push(number int, version uint32, removed string) {
	c.t.Helper()
	ctx := c.t.Context()
	inTx(c.t, c.pool, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO collection (project_id, name, version, label) VALUES ($1, 'articles', $2, 'Articles'), ($1, $3, 1, 'Old') ON CONFLICT DO NOTHING`, c.log, version, removed)
		b.Queue(`INSERT INTO collection_version (project_id, name, version, canonical, hash) VALUES ($1, 'articles', $2, '{"name":"articles"}', $3)`, c.log, version, fmt.Sprint("hash ", version))
		b.Queue(`INSERT INTO schema_push (project_id, number, from_release) VALUES ($1, $2, 9)`, c.log, number)
		b.Queue(`INSERT INTO schema_push_collection (project_id, number, name, version, label) VALUES ($1, $2, 'articles', $3, 'Articles'), ($1, $2, $4, NULL, '')`, c.log, number, version, removed)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		digest, err := record.Digest(record.KindSchema, &recordpb.Schema{FromRelease: 9, Removed: []string{removed},
			Collections: []*recordpb.CollectionVersion{{Name: "articles", Version: version, Canonical: []byte(`{"name":"articles"}`),
				Hash: fmt.Sprint("hash ", version), Label: "Articles"}}})
		if err != nil {
			return err
		}
		_, err = Append(ctx, tx, c.log, record.KindSchema, digest, int64(number), nil)
		return err
	})
}
