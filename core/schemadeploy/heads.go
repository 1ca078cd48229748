package schemadeploy

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/shared/content"
)

// Content is read in portions, so that neither the database nor core ever holds a collection.
const (
	headPage  = 1000    // entries whose heads are looked up at once
	headBytes = 1 << 20 // of the fields read at once; a larger revision comes alone
)

// head is a revision of an entry that is not deleted.
type head struct {
	entry     content.EntryID
	revision  content.RevisionID // empty: the entry has none
	published bool               // readers have it
	slug      *string
	fields    jsontext.Value // nil where there is no revision, or it was not asked for
	size      int
}

// heads says which revisions of an entry e are meant: rows with a column named revision.
type heads string

const (
	// everyHead is what content must fit in: what is published, the draft, and what every open or ready set proposes.
	everyHead heads = `
		SELECT e.published_revision_id AS revision UNION SELECT e.draft_revision_id
		UNION SELECT i.target_revision_id FROM change_set_item i
		WHERE i.resource_type = 'entry' AND i.resource_id = e.id AND i.live`
	// workingHead is what editors work on: the draft, else what is published.
	workingHead heads = `SELECT coalesce(e.draft_revision_id, e.published_revision_id) AS revision`
)

// walk hands on the heads of a collection by entry and revision, some at a time. An entry without one is one head
// without a revision. The content of revisions that are known is not read. The slice and what it holds are good until
// visit returns.
func (which heads) walk(ctx context.Context, q postgres.Querier, project content.ProjectID, collection string, known map[content.RevisionID]struct{}, visit func([]head) error) error {
	for after := content.EntryID(""); ; {
		page, err := which.page(ctx, q, project, collection, after)
		if err != nil {
			return fmt.Errorf("reading the content of %s: %w", collection, err)
		}
		if len(page) == 0 {
			return nil
		}
		after = page[len(page)-1].entry
		for len(page) > 0 {
			some := portion(page, known)
			if err := read(ctx, q, some, known); err != nil {
				return fmt.Errorf("reading the content of %s: %w", collection, err)
			}
			if err := visit(some); err != nil {
				return err
			}
			clear(some)
			page = page[len(some):]
		}
	}
}

// page lists heads without their content, of some entries after one. Here and in read, OFFSET 0 has every revision looked
// up by its id: a scan of all of them for each page would be ruinous.
func (which heads) page(ctx context.Context, q postgres.Querier, project content.ProjectID, collection string, after content.EntryID) ([]head, error) {
	rows, err := q.Query(ctx, `
		WITH page AS MATERIALIZED (
			SELECT id, published_revision_id, draft_revision_id FROM entry
			WHERE project_id = $1 AND collection = $2 AND deleted_at IS NULL AND id > $3 ORDER BY id LIMIT $4)
		SELECT e.id, coalesce(r.id, ''), coalesce(r.size, 0), coalesce(r.id = e.published_revision_id, false) FROM page e
		LEFT JOIN LATERAL (`+string(which)+`) h ON h.revision IS NOT NULL
		LEFT JOIN LATERAL (SELECT id, octet_length(fields) AS size FROM revision WHERE id = h.revision OFFSET 0) r ON true
		ORDER BY e.id, r.id`, project, collection, after, headPage)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h head, err error) {
		err = row.Scan(&h.entry, &h.revision, &h.size, &h.published)
		return h, err
	})
}

// portion is the front of a page whose content is read at once.
func portion(page []head, known map[content.RevisionID]struct{}) []head {
	total := 0
	for i, h := range page {
		if _, is := known[h.revision]; is {
			continue
		}
		if total += h.size; total > headBytes && total > h.size {
			return page[:i]
		}
	}
	return page
}

// read fills in the content of heads, but for what is known.
func read(ctx context.Context, q postgres.Querier, some []head, known map[content.RevisionID]struct{}) error {
	ids, at := make([]string, 0, len(some)), make(map[content.RevisionID]int, len(some))
	for i, h := range some {
		if _, is := known[h.revision]; !is && h.revision != "" {
			ids, at[h.revision] = append(ids, string(h.revision)), i
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := q.Query(ctx, `SELECT r.* FROM unnest($1::text[]) AS w(id)
		CROSS JOIN LATERAL (SELECT id, slug, fields FROM revision WHERE id = w.id OFFSET 0) r`, ids)
	if err != nil {
		return err
	}
	var id content.RevisionID
	var slug *string
	var fields []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &slug, &fields}, func() error {
		h := &some[at[id]]
		h.slug, h.fields = slug, fields
		slug, fields = nil, nil
		return nil
	})
	return err
}
