package changeset

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/asset"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/validate"
)

// release is a set on its way to being published.
type release struct {
	set     *ChangeSet
	project *project.Project
	schemas schemadeploy.Set
	items   []item // by entry id
	place   map[content.EntryID]int
	assets  asset.Found // those that the targets name
	holds   bool        // assets stay as they are until the transaction ends

	policies   map[string]*validate.Policy // by collection, once they are prepared
	references []reference                 // in the targets
	found      findings

	publishedAt time.Time // once it has one
}

// newRelease makes one that holds what it looks at until the transaction ends, or not.
func newRelease(holds bool) *release {
	return &release{holds: holds, policies: map[string]*validate.Policy{}}
}

// item is a staged operation with the state of its entry.
type item struct {
	entry      content.EntryID
	collection string
	operation  content.Operation
	base       *content.RevisionID
	target     *content.RevisionID
	slug       *string // of the target

	published     *content.RevisionID
	publishedSlug *string
	deleted       bool

	version uint32 // of the schema that the target was written under
	hash    []byte // of the target's fields
	size    int    // of the target's fields and slug, in bytes
}

const itemsOf = `
	SELECT e.id, e.collection, i.operation, i.base_revision_id, i.target_revision_id, r.slug,
	       e.published_revision_id, e.published_slug, e.deleted_at IS NOT NULL,
	       coalesce(r.schema_version, 0), r.fields_hash, coalesce(octet_length(r.fields) + octet_length(coalesce(r.slug, '')), 0)
	FROM change_set_item i JOIN entry e ON e.id = i.resource_id
	LEFT JOIN revision r ON r.id = i.target_revision_id
	WHERE i.change_set_id = $1 AND i.resource_type = 'entry' ORDER BY e.id`

// load reads the set's items and the state of their entries.
func (r *release) load(ctx context.Context, q postgres.Querier) error { return r.read(ctx, q, itemsOf) }

// lock is load that keeps the entries as they are until the transaction ends. They are locked in the order of
// their ids, as everywhere.
func (r *release) lock(ctx context.Context, tx pgx.Tx) error {
	return r.read(ctx, tx, itemsOf+` FOR NO KEY UPDATE OF e`)
}

func (r *release) read(ctx context.Context, q postgres.Querier, sql string) error {
	rows, err := q.Query(ctx, sql, r.set.ID)
	if err != nil {
		return fmt.Errorf("reading the items of a change set: %w", err)
	}
	r.items, err = pgx.AppendRows(r.items, rows, func(row pgx.CollectableRow) (i item, err error) {
		err = row.Scan(&i.entry, &i.collection, &i.operation, &i.base, &i.target, &i.slug,
			&i.published, &i.publishedSlug, &i.deleted, &i.version, &i.hash, &i.size)
		return i, err
	})
	if err != nil {
		return fmt.Errorf("reading the items of a change set: %w", err)
	}
	r.place = make(map[content.EntryID]int, len(r.items))
	for n, i := range r.items {
		r.place[i.entry] = n
	}
	return nil
}

// size is that of the release on its way to edges, in bytes, and a little more.
func (r *release) size() int {
	total := 0
	for _, i := range r.items {
		total += i.size + itemSize
	}
	return total
}

// itemSize is more than what an item takes beside that: ids, collection, hash.
const itemSize = 1 << 10

// publishes returns the item that leaves this entry published, or nil.
func (r *release) publishes(entry content.EntryID) *item {
	if n, ok := r.place[entry]; ok && r.items[n].operation.Publishes() {
		return &r.items[n]
	}
	return nil
}
