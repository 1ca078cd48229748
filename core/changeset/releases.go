package changeset

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

// Release is a published change set.
type Release struct {
	Number      uint64
	PublishedAt time.Time
	ChangeSet   content.ChangeSetID
	Title       string
	CreatedBy   string // empty: the system
	ItemCount   int
}

// ReleaseItem is what a release did to one entry.
type ReleaseItem struct {
	Entry      content.EntryID
	Collection string
	Operation  content.Operation
	Slug       *string             // that the entry got
	RevisionID *content.RevisionID // nil for unpublish and delete
	BeforeID   *content.RevisionID // published before; nil where nothing was
}

const releaseColumns = `number, published_at, change_set_id, title, coalesce(created_by, ''), item_count`

// ListReleases returns the releases of a project, newest first.
func ListReleases(ctx context.Context, q postgres.Querier, project content.ProjectID, page postgres.Page) (postgres.Listing[Release], error) {
	var none postgres.Listing[Release]
	before, err := page.Before()
	if err != nil {
		return none, err
	}
	rows, err := q.Query(ctx, `SELECT `+releaseColumns+` FROM release
		WHERE project_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3`, project, before, page.Size()+1)
	if err != nil {
		return none, fmt.Errorf("listing releases: %w", err)
	}
	releases, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Release])
	if err != nil {
		return none, fmt.Errorf("listing releases: %w", err)
	}
	return postgres.NewListing(page, releases, func(r Release) string { return strconv.FormatUint(r.Number, 10) }), nil
}

// GetRelease returns the release with this number, or of this change set, with its items by entry id; of other
// collections than the actor is confined to, without them.
func GetRelease(ctx context.Context, q postgres.Querier, actor *access.Actor, project content.ProjectID, ref string) (*Release, []ReleaseItem, error) {
	number, err := strconv.ParseInt(ref, 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != ref { // +7 and 07 are no names of release 7
		number = 0
	}
	rows, err := q.Query(ctx, `SELECT `+releaseColumns+` FROM release
		WHERE project_id = $1 AND (number = $2 OR change_set_id = $3)`, project, number, ref)
	if err != nil {
		return nil, nil, fmt.Errorf("reading a release: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[Release])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, fault.New(fault.NotFound, "the project has no release %q; releases are named by their number or change set", ref)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading a release: %w", err)
	}
	rows, err = q.Query(ctx, `
		SELECT i.entry_id, i.collection, i.operation, v.slug, i.revision_id, i.before_id
		FROM release_item i LEFT JOIN revision v ON v.id = i.revision_id
		WHERE i.project_id = $1 AND i.number = $2 AND ($3::text[] IS NULL OR i.collection = ANY($3))
		ORDER BY i.entry_id`, project, int64(r.Number), allowed(actor))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the items of a release: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ReleaseItem])
	if err != nil {
		return nil, nil, fmt.Errorf("reading the items of a release: %w", err)
	}
	return r, items, nil
}
