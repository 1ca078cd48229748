package entry

import (
	"fmt"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

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
		if holder := taken[setSlug{p.set, *p.slug}]; i.spent[*p.slug] || holder != "" && holder != p.entry && !i.leaves(holder, *p.slug, p.set) {
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
	joins, err := i.spread.Joins(holder)
	return err == nil && joins == set
}

// compose makes the content of one row; an empty outcome means that it has problems.
func (i *importer) compose(p plan, heads map[content.EntryID]*head) (staged, Outcome, error) {
	s := staged{plan: p, entry: p.entry, op: content.OperationCreate, revision: content.NewID[content.RevisionID]()}
	h := &head{row: &row{}}
	switch {
	case p.same: // looked at as a new one
	case p.entry == "":
		s.entry, s.isNew = content.NewID[content.EntryID](), true
	default:
		if h = heads[p.entry]; h == nil || h.deleted {
			i.problem(p.number, fault.Item{Path: "id", Code: string(schema.CodeReference),
				Message: fmt.Sprintf("there is no entry %s in the collection", p.entry)})
			return s, "", nil
		}
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
	case p.same || h.says(made):
		return s, OutcomeSkipped, nil
	case s.isNew:
		return s, OutcomeCreated, nil
	}
	return s, OutcomeUpdated, nil
}
