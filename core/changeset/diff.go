package changeset

import (
	"context"
	"fmt"

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
	of, id := behind(after)
	rows, err := q.Query(ctx, `SELECT `+itemColumns+`, b.fields, b.slug, r.fields, r.slug`+itemsBehind, set.ID, of, id, page.Size()+1, allowed(actor))
	if err != nil {
		return none, fmt.Errorf("reading a diff: %w", err)
	}
	list, err := postgres.CollectPage(page, rows, scanSides, func(s sides) int { return len(s.base.Fields) + len(s.target.Fields) },
		func(s sides) string { return s.ResourceID })
	if err != nil {
		return none, fmt.Errorf("reading a diff: %w", err)
	}
	out := postgres.Listing[ItemDiff]{Items: make([]ItemDiff, len(list.Items)), NextCursor: list.NextCursor}
	budget := diff.WordBudget
	for n, s := range list.Items {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		out.Items[n].Item = s.Item
		if out.Items[n].Changes, err = s.changes(frames[s.Collection], &budget); err != nil {
			return none, fmt.Errorf("comparing the revisions of %s: %w", s.ResourceID, err)
		}
	}
	return out, nil
}

// sides are an item and the two revisions that it leads from and to.
type sides struct {
	Item
	base, target diff.Revision
}

func scanSides(row pgx.CollectableRow) (s sides, err error) {
	i := &s.Item
	err = row.Scan(&i.ResourceType, &i.ResourceID, &i.Operation, &i.BaseRevisionID, &i.TargetRevisionID, &i.Collection, &i.Slug, &i.ChangeSummary,
		&i.StagedAt, &i.StaleSince, (*[]byte)(&s.base.Fields), &s.base.Slug, (*[]byte)(&s.target.Fields), &s.target.Slug)
	return s, err
}

// changes compares the sides; without a budget, it compares no words.
func (s *sides) changes(frame diff.Frame, budget *int) ([]diff.Change, error) {
	before, err := frame.Side(s.base.Fields, s.base.Slug)
	if err != nil {
		return nil, err
	}
	after, err := frame.Side(s.target.Fields, s.target.Slug)
	if err != nil {
		return nil, err
	}
	if budget == nil {
		return diff.Edits(frame, before, after)
	}
	return diff.Changes(frame, before, after, budget)
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
		frames[d.Schema.Name] = diff.FrameOf(d.Schema, schemadeploy.Locales(p))
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
		SELECT s.id, s.title, s.status, i.operation, b.fields, b.slug, r.fields, r.slug FROM change_set_item i JOIN change_set s ON s.id = i.change_set_id
		LEFT JOIN revision r ON r.id = i.target_revision_id LEFT JOIN revision b ON b.id = i.base_revision_id
		WHERE i.resource_type = 'entry' AND i.resource_id = $1 AND i.live ORDER BY s.id`, entry)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the change sets of an entry: %w", err)
	}
	type staged struct {
		OpenSet
		sides
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s staged, err error) {
		err = row.Scan(&s.ID, &s.Title, &s.Status, &s.OpenSet.Operation, (*[]byte)(&s.base.Fields), &s.base.Slug, (*[]byte)(&s.target.Fields), &s.target.Slug)
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
		if s.OpenSet.Operation.Publishes() {
			changes, err := s.changes(frames[collection], nil)
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
