// Package preview implements read.Store on PostgreSQL: it answers the public reads that an edge cannot answer. SQL only narrows
// the rows; what a read means is in package read.
//
// A list in the default order without filters is one page of SQL. A list with filters or a search, or ordered by a field, scans every row
// that SQL cannot exclude: its time grows with the size of the collection, its memory with that of a page.
//
// # Previews
//
// A preview token shows the same reads of the head, whatever release the project is pinned to, with what a change set stages in
// place of what is published (contract, "Authentication"; "Limits"). Of each entry that the set stages, the staged revision is read
// under the schemas and locales of now, under its own slug, and the entry stands where it is arranged; what the set unpublishes or deletes
// is not there. publishedAt is that of the published revision, null where there is none. A list is made of the first 5,000
// published entries of the default order and of all that is staged: filters, searches and orders select from these. Its ids are read for
// each request, its rows in steps as they are needed, so memory holds a page and some 15,000 ids. A token of one entry shows the draft of
// that one alone; one of a published set reads what is published; one of a closed set is refused.
//
// A token has the rights of its maker, who needs content:write: without content:read it opens no private collections, and where the
// maker was confined to collections it shows drafts and private entries of these alone. It cannot outlive the key that made it, and is revoked with it.
package preview

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/read"
)

// maxQueue is how long a read waits for its turn before it is turned away.
const maxQueue = 500 * time.Millisecond

// Store is a read.Store on PostgreSQL. Each view is one REPEATABLE READ read-only transaction.
type Store struct {
	pool  *pgxpool.Pool
	slots chan struct{}
	turns chan struct{} // of lists that look at whole collections

	probing sync.Mutex
	settled atomic.Int64 // Unix milliseconds; see Store.settle
}

// New returns a store that opens at most limit views at a time, so that reads leave connections of the pool to
// writers; 0 is half of the pool. Half of the views are for lists that look at whole collections; see Turn.
func New(pool *pgxpool.Pool, limit int) *Store {
	if limit <= 0 {
		limit = max(1, int(pool.Config().MaxConns)/2)
	}
	return &Store{pool: pool, slots: make(chan struct{}, limit), turns: make(chan struct{}, max(1, limit/2))}
}

// Open implements read.Store. Where all slots stay taken the fault is UNAVAILABLE.
func (s *Store) Open(ctx context.Context, project string) (read.View, error) {
	if err := take(ctx, s.slots); err != nil {
		return nil, err
	}
	v := &view{store: s, settled: time.UnixMilli(s.settled.Load())}
	if err := v.open(ctx, project); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// AcquireScan is read.Engine's for lists that look at whole collections: while many do, views are left for reads that are quick.
// Where it does not come the fault is UNAVAILABLE.
func (s *Store) AcquireScan(ctx context.Context) (done func(), err error) {
	if err := take(ctx, s.turns); err != nil {
		return nil, err
	}
	return func() { <-s.turns }, nil
}

func take(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(maxQueue)
	defer timer.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return &fault.Error{
			Code: fault.Unavailable, RetryAfter: time.Second,
			Detail: "too many reads are in progress here; try again shortly",
		}
	}
}

// view is one transaction and what was read at its start.
type view struct {
	store   *Store
	tx      pgx.Tx
	settled time.Time // as it was before the snapshot was taken

	project     read.Project
	head        content.Release
	collections []*read.Collection
}

const projectColumns = `p.id, p.organization_id, p.slug, p.public_api_enabled, p.allowed_origins, p.locales, p.default_locale,
	p.cursor_key, coalesce(p.pinned_release, 0), coalesce(h.number, 0), coalesce(h.published_at, 'epoch')`

func (v *view) open(ctx context.Context, ref string) error {
	tx, err := postgres.BeginRead(ctx, v.store.pool)
	if err != nil {
		return failed(err, "opening a view")
	}
	v.tx = tx
	column := "slug"
	if content.IsID[content.ProjectID](ref) {
		column = "id"
	}
	p := &v.project
	err = tx.QueryRow(ctx, `SELECT `+projectColumns+` FROM project p
		LEFT JOIN LATERAL (SELECT number, published_at FROM release WHERE project_id = p.id ORDER BY number DESC LIMIT 1) h ON true
		WHERE p.`+column+` = $1 AND p.deleted_at IS NULL`, ref).Scan(
		&p.ID, &p.Organization, &p.Slug, &p.PublicAPIEnabled, &p.AllowedOrigins, &p.Locales, &p.DefaultLocale,
		&p.CursorKey, &p.Pinned, &v.head.Number, &v.head.PublishedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "there is no such project")
	}
	if err != nil {
		return failed(err, "reading a project")
	}
	v.head.PublishedAt = v.head.PublishedAt.UTC()
	set, err := schemadeploy.Load(ctx, tx, p.ID)
	if err != nil {
		return failed(err, "reading the schemas of a project")
	}
	v.collections = make([]*read.Collection, len(set))
	for i, d := range set {
		v.collections[i] = &read.Collection{Schema: d.Schema, Version: d.Version}
	}
	return nil
}

// failed says what could not be read. Where the database is away the fault is UNAVAILABLE.
func failed(err error, format string, args ...any) error {
	return postgres.Unavailable(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err))
}

// closeTime is how long the end of a view waits for a database that does not answer.
const closeTime = 2 * time.Second

// Close implements read.View.
func (v *view) Close() {
	if v.tx != nil {
		// A transaction that only reads has nothing to lose; a connection that fails here leaves the pool.
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		_ = v.tx.Rollback(ctx)
	}
	<-v.store.slots
}

func (v *view) Project() *read.Project          { return &v.project }
func (v *view) Head() content.Release           { return v.head }
func (v *view) Collections() []*read.Collection { return v.collections }

// Version implements read.View: what is read from PostgreSQL is not kept.
func (v *view) Version(string, uint64) uint64 { return 0 }

func (v *view) Collection(key string) (*read.Collection, bool) {
	for _, c := range v.collections {
		if c.Schema.Name == key {
			return c, true
		}
	}
	return nil, false
}

// Keys is a read.Keys on PostgreSQL.
type Keys struct{ Pool *pgxpool.Pool }

// Grant implements read.Keys.
func (k Keys) Grant(ctx context.Context, publicID string) (*credential.Grant, error) {
	grant, err := access.Grant(ctx, k.Pool, publicID)
	return grant, postgres.Unavailable(err)
}
