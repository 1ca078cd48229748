package changeset

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/diff"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
)

// ItemDiff is what an item of a set changes (interface, "Diff item").
type ItemDiff struct {
	Item
	Changes []diff.Change
}

// Diff returns what a set changes, item by item as Items does; a page ends early where revisions are large. Without a base every
// field reads as added, and an unpublish or delete reads every field as removed. Fields are those of the schemas that are deployed;
// what these lack reads as one value.
func Diff(ctx context.Context, q postgres.Querier, actor *access.Actor, p *project.Project, changeSet string, page postgres.Page) (postgres.Listing[ItemDiff], error) {
	var none postgres.Listing[ItemDiff]
	after, err := page.After()
	if err != nil {
		return none, err
	}
	set, err := Get(ctx, q, p.ID, changeSet)
	if err != nil {
		return none, err
	}
	frames, err := framesOf(ctx, q, p)
	if err != nil {
		return none, err
	}
	rows, err := q.Query(ctx, `SELECT `+itemColumns+`, b.fields, r.fields`+itemsBehind, set.ID, after, page.Size()+1, allowed(actor))
	if err != nil {
		return none, fmt.Errorf("reading a diff: %w", err)
	}
	type compared struct {
		ItemDiff
		size int
	}
	scan := func(row pgx.CollectableRow) (c compared, err error) {
		i := &c.Item
		var base, target []byte
		err = row.Scan(&i.ResourceType, &i.ResourceID, &i.Operation, &i.BaseRevisionID, &i.TargetRevisionID,
			&i.Collection, &i.Slug, &i.ChangeSummary, &i.StagedAt, &base, &target)
		if err != nil {
			return c, err
		}
		c.size = len(base) + len(target)
		c.Changes, err = diff.Changes(frames[i.Collection], jsontext.Value(base), jsontext.Value(target))
		return c, err
	}
	list, err := postgres.CollectPage(page, rows, scan, func(c compared) int { return c.size }, func(c compared) string { return c.ResourceID })
	if err != nil {
		return none, fmt.Errorf("reading a diff: %w", err)
	}
	out := postgres.Listing[ItemDiff]{Items: make([]ItemDiff, len(list.Items)), NextCursor: list.NextCursor}
	for n, c := range list.Items {
		out.Items[n] = c.ItemDiff
	}
	return out, nil
}

// framesOf says how the fields of each collection are read. A collection that is not deployed any more has the zero frame, in which
// each member is one value.
func framesOf(ctx context.Context, q postgres.Querier, p *project.Project) (map[string]diff.Frame, error) {
	deployed, err := schemadeploy.Load(ctx, q, p.ID)
	if err != nil {
		return nil, err
	}
	frames := map[string]diff.Frame{}
	for _, d := range deployed {
		frames[d.Schema.Name] = diff.Frame{Fields: d.Schema.Fields, Locales: schemadeploy.Locales(p)}
	}
	return frames, nil
}

// OpenSet is an open or ready set that stages an entry: it touches fields, or takes the entry away.
type OpenSet struct {
	ID        content.ChangeSetID
	Title     string
	Status    content.ChangeSetStatus
	Operation content.Operation
	Fields    []diff.Path // nil for an unpublish or delete
}

// Contention returns the open and ready sets that stage an entry, by id, and the values that several of them make different
// (interface, "Entry").
func Contention(ctx context.Context, q postgres.Querier, p *project.Project, collection string, entry content.EntryID) ([]OpenSet, []diff.Contention, error) {
	rows, err := q.Query(ctx, `
		SELECT s.id, s.title, s.status, i.operation, b.fields, r.fields FROM change_set_item i JOIN change_set s ON s.id = i.change_set_id
		LEFT JOIN revision r ON r.id = i.target_revision_id LEFT JOIN revision b ON b.id = i.base_revision_id
		WHERE i.resource_type = 'entry' AND i.resource_id = $1 AND i.live ORDER BY s.id`, entry)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the change sets of an entry: %w", err)
	}
	type staged struct {
		OpenSet
		base, target []byte
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s staged, err error) {
		err = row.Scan(&s.ID, &s.Title, &s.Status, &s.Operation, &s.base, &s.target)
		return s, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading the change sets of an entry: %w", err)
	}
	if len(all) == 0 {
		return nil, nil, nil
	}
	frames, err := framesOf(ctx, q, p)
	if err != nil {
		return nil, nil, err
	}
	sets := make([]OpenSet, len(all))
	edits := map[content.ChangeSetID][]diff.Change{}
	for n, s := range all {
		if s.Operation.Publishes() {
			changes, err := diff.Edits(frames[collection], jsontext.Value(s.base), jsontext.Value(s.target))
			if err != nil {
				return nil, nil, fmt.Errorf("reading the change sets of an entry: %w", err)
			}
			edits[s.ID] = changes
			for _, c := range changes {
				s.Fields = append(s.Fields, c.Path)
			}
		}
		sets[n] = s.OpenSet
	}
	contended, err := diff.Contentions(edits)
	return sets, contended, err
}
