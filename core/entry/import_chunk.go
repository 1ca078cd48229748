package entry

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// staged is a row that changes something.
type staged struct {
	plan
	entry    content.EntryID
	isNew    bool
	revision content.RevisionID
	parent   *content.RevisionID
	base     *content.RevisionID
	draft    draft
	op       content.Operation
}

// chunk stages some rows.
func (i *importer) chunk(ctx context.Context, tx pgx.Tx, first int, rows []ImportRow) error {
	plans, err := i.match(ctx, tx, first, rows)
	if err != nil {
		return err
	}
	heads, err := i.heads(ctx, tx, plans)
	if err != nil {
		return err
	}
	var changes []staged
	var all []mentions
	for _, p := range plans {
		s, outcome, err := i.compose(p, heads)
		if err != nil {
			return err
		}
		if outcome == "" { // it has a problem
			continue
		}
		i.count(ImportedRow{Entry: s.entry, Slug: s.draft.slug, Outcome: outcome})
		if outcome == OutcomeSkipped {
			continue
		}
		m, err := i.frame.mentions(s.draft.fields, p.row.Data)
		if err != nil {
			return err
		}
		all, changes = append(all, m), append(changes, s)
	}
	found, err := findMentioned(ctx, tx, i.target.Project.ID, all...)
	if err != nil {
		return err
	}
	for n, s := range changes {
		i.problem(s.number, found.misfits(all[n])...)
	}
	if len(i.problems) > 0 {
		if len(i.problems) == maxImportProblems {
			return i.invalid()
		}
		return nil
	}
	return i.store(ctx, tx, changes)
}

func (i *importer) count(r ImportedRow) {
	i.out.Rows = append(i.out.Rows, r)
	switch r.Outcome {
	case OutcomeCreated:
		i.out.Created++
	case OutcomeUpdated:
		i.out.Updated++
	case OutcomeSkipped:
		i.out.Skipped++
	}
}

// compose makes the content of one row; an empty outcome means that it has problems.
func (i *importer) compose(p plan, heads map[content.EntryID]*head) (staged, Outcome, error) {
	s := staged{plan: p, entry: p.entry, op: content.OperationCreate, revision: content.NewID[content.RevisionID]()}
	h := &head{}
	if p.entry == "" {
		s.entry, s.isNew = content.NewID[content.EntryID](), true
	} else if h = heads[p.entry]; h == nil || h.deleted {
		i.problem(p.number, fault.Item{Path: "id", Code: string(schema.CodeReference),
			Message: fmt.Sprintf("there is no entry %s in the collection", p.entry)})
		return s, "", nil
	}
	if h.lastPublished != nil {
		s.op = content.OperationUpdate
	}
	s.base, s.parent = h.base, h.on.revision
	fields, err := i.frame.merge(h.on.fields, p.row.Data)
	if err != nil {
		return s, "", err
	}
	slug := p.slug
	if slug == nil && i.frame.schema.HasSlug() {
		slug = h.on.slug
	}
	made, items, err := i.frame.finish(fields, slug, h.on.fields == nil)
	if err != nil {
		return s, "", err
	}
	if len(items) > 0 {
		i.problem(p.number, items...)
		return s, "", nil
	}
	s.draft = made
	switch {
	case s.isNew:
		return s, OutcomeCreated, nil
	case h.says(made):
		return s, OutcomeSkipped, nil
	}
	return s, OutcomeUpdated, nil
}
