package entry

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
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

// chunk stages some rows.
func (i *importer) chunk(ctx context.Context, tx pgx.Tx, first int, rows []spooled) error {
	plans, taken, err := i.plan(ctx, tx, first, rows)
	if err != nil {
		return err
	}
	var about []content.EntryID
	for _, p := range plans {
		if i.entries[p.entry] != nil && p.conflict == nil {
			about = append(about, p.entry)
		}
	}
	heads := map[content.EntryID]*head{} // what rows about existing entries build on
	err = eachHead(ctx, tx, i.options.ChangeSet, false, about, func(id content.EntryID, base *content.RevisionID, on baseline) error {
		heads[id] = &head{i.entries[id], on, base}
		return nil
	})
	if err != nil {
		return err
	}
	var changes []staged
	var numbers []int // of the rows of changes
	var named []mentions
	for _, p := range plans {
		if p.conflict != nil {
			i.out.Conflicts++
			i.out.Rows = append(i.out.Rows, ImportedRow{Entry: p.entry, Slug: p.key.slug, Outcome: OutcomeConflict, Conflict: p.conflict})
			continue
		}
		h, made, err := i.compose(&p, taken, heads)
		if err != nil {
			return err
		}
		if h == nil { // it has a problem
			continue
		}
		if p.same || h.says(made) {
			i.out.Skipped++
			i.out.Rows = append(i.out.Rows, ImportedRow{Entry: h.id, Slug: made.slug, Outcome: OutcomeSkipped})
			continue
		}
		s := staged{head: h, draft: made, summary: cmp.Or(p.row.ChangeSummary, i.options.ChangeSummary)}
		if s.set, err = i.targets.Set(ctx, tx, p.set); err != nil {
			return err
		}
		i.sets[s.set.ID] = s.set
		i.count(s, p)
		names, err := written(p.row.Data)
		if err != nil {
			return err
		}
		m, err := i.frame.mentions(made.fields, names)
		if err != nil {
			return err
		}
		named, changes, numbers = append(named, m), append(changes, s), append(numbers, p.number)
	}
	found, err := findMentioned(ctx, tx, i.project, named...)
	if err != nil {
		return err
	}
	for n, m := range named {
		i.problem(numbers[n], found.misfits(m)...)
	}
	switch {
	case len(i.problems) == maxImportProblems:
		return i.invalid()
	case len(i.problems) > 0 || len(changes) == 0:
		return nil
	}
	return i.frame.store(ctx, tx, i.actor, i.project, changes)
}

// count notes the outcome of a row that changes something. A dry run does not tell the ids of what it would have made.
func (i *importer) count(s staged, p plan) {
	r := ImportedRow{Entry: s.id, Slug: s.draft.slug, Outcome: OutcomeUpdated, ChangeSet: s.set.ID}
	if i.options.DryRun {
		r.ChangeSet = p.set
	}
	if s.isNew {
		r.Outcome = OutcomeCreated
		i.out.Created++
		if i.options.DryRun {
			r.Entry = ""
		}
	} else {
		i.out.Updated++
	}
	i.out.Rows = append(i.out.Rows, r)
}

// plan makes the plans of rows that can be read, and learns about the slugs that they want.
func (i *importer) plan(ctx context.Context, tx pgx.Tx, first int, rows []spooled) ([]plan, map[setSlug]content.EntryID, error) {
	plans := make([]plan, 0, len(rows))
	var bases []string
	var wanted []setSlug
	for n, row := range rows {
		p := plan{number: first + n, row: row.ImportRow, key: i.keys[first+n], entry: i.matches[first+n].entry}
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
				wanted = append(wanted, setSlug{set: p.set, slug: *p.slug})
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

// settle decides which slug a row gets, and which entry it says again. It is false where the row has a problem.
func (i *importer) settle(p *plan, taken map[setSlug]content.EntryID) (bool, error) {
	refuse := func(path string, code schema.Code, format string, args ...any) (bool, error) {
		i.problem(p.number, fault.Item{Path: path, Code: string(code), Message: fmt.Sprintf(format, args...)})
		return false, nil
	}
	switch {
	case i.frame.schema.Kind == schema.KindSingleton && p.number > 0:
		return refuse("", schema.CodeTooMany, "a singleton has one item")
	case p.entry != "" && i.done[p.entry]:
		return refuse("id", schema.CodeDuplicate, "another row is about the same entry, %s", p.entry)
	case p.key.base != "":
		if err := i.derive(p); err != nil {
			return false, err
		}
	case p.slug != nil:
		if holder := taken[setSlug{set: p.set, slug: *p.slug}]; i.spent[*p.slug] || holder != "" && holder != p.entry && !i.leaves(holder, *p.slug, p.set) {
			return refuse("slug", schema.CodeDuplicate, "the slug %q is that of another entry", *p.slug)
		}
	}
	if p.slug != nil && !p.same {
		i.spent[*p.slug] = true
	}
	if p.entry != "" {
		i.done[p.entry] = true
	}
	return true, nil
}

// leaves reports whether a row gives the holder of a slug another one in the same set, so that slugs swap.
func (i *importer) leaves(holder content.EntryID, slug string, set content.ChangeSetID) bool {
	other, moves := i.moves[holder]
	if !moves || other == slug || i.entries[holder] == nil {
		return false
	}
	joins, err := i.targets.Joins(holder)
	return err == nil && joins == set
}

// compose makes the content of one row, and finds what it builds on; that is nil where the row has a problem.
func (i *importer) compose(p *plan, taken map[setSlug]content.EntryID, heads map[content.EntryID]*head) (*head, draft, error) {
	if ok, err := i.settle(p, taken); !ok || err != nil {
		return nil, draft{}, err
	}
	h := heads[p.entry]
	switch {
	case p.same: // its content is looked at as that of a new one
		h = &head{row: &row{id: p.entry}}
	case p.entry == "":
		h = newEntry()
	case h == nil || h.deleted:
		i.problem(p.number, fault.Item{Path: "id", Code: string(schema.CodeReference), Message: fmt.Sprintf("there is no entry %s in the collection", p.entry)})
		return nil, draft{}, nil
	}
	fields, err := i.frame.merge(h.on.fields, p.row.Data)
	if err != nil {
		return nil, draft{}, err
	}
	slug := p.slug
	if slug == nil && i.frame.schema.HasSlug() {
		slug = h.on.slug
	}
	made, items, err := i.frame.finish(fields, slug, h.on.fields == nil)
	if len(items) > 0 {
		i.problem(p.number, items...)
		h = nil
	}
	return h, made, err
}
