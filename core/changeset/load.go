package changeset

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/asset"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
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
	holds   bool        // what it looks at stays as it is until the transaction ends

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

// open reads the set with its items, the state of their entries, and the settings and schemas of the project. Where the release
// holds what it looks at, all of it stays as it is until the transaction ends; it is locked in that order, entries by their ids.
func (r *release) open(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, changeSet string) (err error) {
	if r.holds {
		r.set, err = lock(ctx, tx, id, changeSet)
	} else {
		r.set, err = Get(ctx, tx, id, changeSet)
	}
	if err != nil {
		return err
	}
	if r.set.ReleaseNumber > 0 {
		return fault.New(fault.Conflict, "the change set %s was published as release %d", r.set.ID, r.set.ReleaseNumber)
	}
	if !r.set.Status.CanBecome(content.ChangeSetPublished) {
		return fault.New(fault.Conflict, "the change set %s is %s and cannot be published", r.set.ID, r.set.Status)
	}
	if r.holds {
		r.project, err = project.Share(ctx, tx, id)
	} else {
		r.project, err = project.Get(ctx, tx, string(id))
	}
	if err != nil {
		return err
	}
	if r.schemas, err = schemadeploy.Load(ctx, tx, id); err != nil {
		return err
	}
	return r.readItems(ctx, tx, actor)
}

// readItems refuses a set with entries of collections that the actor may not touch.
func (r *release) readItems(ctx context.Context, tx pgx.Tx, actor *access.Actor) error {
	sql := itemsOf
	if r.holds {
		sql += ` FOR NO KEY UPDATE OF e`
	}
	rows, err := tx.Query(ctx, sql, r.set.ID)
	if err != nil {
		return fmt.Errorf("reading the items of a change set: %w", err)
	}
	r.items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (i item, err error) {
		err = row.Scan(&i.entry, &i.collection, &i.operation, &i.base, &i.target, &i.slug,
			&i.published, &i.publishedSlug, &i.deleted, &i.version, &i.hash, &i.size)
		return i, err
	})
	if err != nil {
		return fmt.Errorf("reading the items of a change set: %w", err)
	}
	r.place = make(map[content.EntryID]int, len(r.items))
	for n, i := range r.items {
		if err := access.Confine(actor, i.collection); err != nil {
			return err
		}
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
