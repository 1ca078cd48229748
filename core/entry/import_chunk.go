package entry

import (
	"context"

	"github.com/jackc/pgx/v5"

	"svc/shared/content"
	"svc/shared/fault"
)

// plan is what a row is to become.
type plan struct {
	number   int
	row      ImportRow
	key      key
	conflict *fault.Error
	entry    content.EntryID     // empty: a new one
	set      content.ChangeSetID // that it joins; empty: the new one
	slug     *string             // nil: as the entry has it
	same     bool                // the entry says the same
}

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
	plans, taken, err := i.plan(ctx, tx, first, rows)
	if err != nil {
		return err
	}
	heads, err := i.current(ctx, tx, plans)
	if err != nil {
		return err
	}
	var changes []staged
	var all []mentions
	for _, p := range plans {
		if p.conflict != nil {
			i.count(ImportedRow{Entry: p.entry, Slug: p.key.slug, Outcome: OutcomeConflict, Conflict: p.conflict})
			continue
		}
		ok, err := i.settle(&p, taken)
		if err != nil {
			return err
		}
		if !ok { // it has a problem
			continue
		}
		s, outcome, err := i.compose(p, heads)
		if err != nil {
			return err
		}
		switch outcome {
		case "": // it has a problem
			continue
		case OutcomeSkipped:
			i.count(ImportedRow{Entry: s.entry, Slug: s.draft.slug, Outcome: outcome})
			continue
		}
		i.count(ImportedRow{Entry: s.entry, Slug: s.draft.slug, Outcome: outcome, ChangeSet: s.set})
		m, err := i.frame.mentions(s.draft.fields, p.row.Data)
		if err != nil {
			return err
		}
		all, changes = append(all, m), append(changes, s)
	}
	found, err := findMentioned(ctx, tx, i.project, all...)
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

// plan makes the plans of rows that can be read, and learns about the slugs that they want.
func (i *importer) plan(ctx context.Context, tx pgx.Tx, first int, rows []ImportRow) ([]plan, map[setSlug]content.EntryID, error) {
	plans := make([]plan, 0, len(rows))
	var bases []string
	var wanted []setSlug
	for n, row := range rows {
		p := plan{number: first + n, row: row, key: i.keys[first+n], entry: i.matches[first+n].entry}
		if p.key.bad {
			continue
		}
		if p.conflict = i.conflict(p.number); p.conflict == nil {
			var err error
			if p.set, err = i.joins(p.entry); err != nil {
				return nil, nil, err
			}
			switch {
			case p.key.slug != nil:
				p.slug = p.key.slug
				wanted = append(wanted, setSlug{p.set, *p.slug})
			case p.key.base != "":
				bases = append(bases, p.key.base)
			}
		}
		plans = append(plans, p)
	}
	if err := i.learn(ctx, tx, bases); err != nil {
		return nil, nil, err
	}
	taken, err := holders(ctx, tx, i.project, i.frame.schema.Name, wanted...)
	return plans, taken, err
}

// joins is the set that a row about an entry, or a new one, joins. What is not there has a problem and joins none.
func (i *importer) joins(entry content.EntryID) (content.ChangeSetID, error) {
	if e := i.entries[entry]; entry != "" && (e == nil || e.deleted) {
		return "", nil
	}
	return i.spread.Joins(entry)
}

// current reads what rows about existing entries build on.
func (i *importer) current(ctx context.Context, tx pgx.Tx, plans []plan) (map[content.EntryID]*head, error) {
	about := map[content.EntryID]*row{}
	for _, p := range plans {
		if e := i.entries[p.entry]; e != nil && p.conflict == nil {
			about[p.entry] = e
		}
	}
	heads, err := i.heads(ctx, tx, about)
	if err != nil {
		return nil, err
	}
	return heads, contents(ctx, tx, heads, func(h *head, on baseline) error {
		h.on = on
		return nil
	})
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
	case OutcomeConflict:
		i.out.Conflicts++
	}
}
