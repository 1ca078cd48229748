package entry

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/core/changeset"
	"svc/shared/content"
)

// head is what a write of an entry builds on.
type head struct {
	*row
	on   baseline            // what data is laid over
	base *content.RevisionID // of the item
}

func (h *head) says(d draft) bool {
	return h.on.revision != nil && bytes.Equal(h.on.fields, d.fields) &&
		(h.on.slug == nil) == (d.slug == nil) && (d.slug == nil || *h.on.slug == *d.slug)
}

// heads finds what writes of entries build on, each into the set that it joins (see row.baseline): what the set proposes, else
// what is or was published, else a draft that is not the work of another open set. The content is not read.
func (i *importer) heads(ctx context.Context, tx pgx.Tx, entries map[content.EntryID]*row) (map[content.EntryID]*head, error) {
	heads := make(map[content.EntryID]*head, len(entries))
	if len(entries) == 0 {
		return heads, nil
	}
	rows, err := tx.Query(ctx, `
		SELECT i.resource_id, i.change_set_id, i.base_revision_id, i.target_revision_id FROM unnest($1::text[]) AS w(id)
		JOIN change_set_item i ON i.resource_type = 'entry' AND i.resource_id = w.id AND i.live`, slices.Collect(maps.Keys(entries)))
	if err != nil {
		return nil, fmt.Errorf("reading what change sets propose: %w", err)
	}
	type proposal struct {
		set string
		changeset.Proposal
	}
	proposed := map[content.EntryID][]proposal{}
	var id content.EntryID
	var p proposal
	_, err = pgx.ForEachRow(rows, []any{&id, &p.set, &p.Base, &p.Target}, func() error {
		proposed[id] = append(proposed[id], p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what change sets propose: %w", err)
	}
	named := i.options.ChangeSet
	for id, e := range entries {
		h := &head{row: e, base: e.published, on: baseline{revision: firstOf(e.published, e.lastPublished)}}
		heads[id] = h
		elsewhere := false
		for _, p := range proposed[id] {
			switch ours := p.set == named || named == "" && len(proposed[id]) == 1; {
			case !ours:
				elsewhere = true
			case p.Target != nil:
				h.on.revision, h.base = p.Target, p.Base
			}
		}
		if h.on.revision == nil && !elsewhere {
			h.on.revision = h.draft
		}
	}
	return heads, nil
}

// contents hands out the revisions that heads are on, one by one.
func contents(ctx context.Context, tx pgx.Tx, heads map[content.EntryID]*head, take func(h *head, on baseline) error) error {
	ids := make([]content.RevisionID, 0, len(heads))
	for _, h := range heads {
		if h.on.revision != nil {
			ids = append(ids, *h.on.revision)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		SELECT r.entry_id, r.slug, r.fields FROM unnest($1::text[]) AS w(id) JOIN revision r ON r.id = w.id`, ids)
	if err != nil {
		return fmt.Errorf("reading revisions: %w", err)
	}
	var id content.EntryID
	var slug *string
	var fields []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &slug, &fields}, func() error {
		h := heads[id]
		err := take(h, baseline{revision: h.on.revision, slug: slug, fields: fields})
		slug, fields = nil, nil
		return err
	})
	if err != nil {
		return fmt.Errorf("reading revisions: %w", err)
	}
	return nil
}
