package changeset_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/fault"
)

// What is read for a change set, from its import to its revert, grows with what it stages, whatever PostgreSQL believes of its
// tables: with statistics of other times, or none, it must not read a whole collection, or a whole change set, for each entry.
func TestNothingIsReadForEachEntryButItsOwn(t *testing.T) {
	t.Parallel()
	const before, entries, most = 1_500, 1_500, 100 // a fraction of all, and enough for a transaction that starts over
	for name, analysed := range map[string]func(b *bed){
		"never analysed":               func(*bed) {},
		"analysed with nothing staged": func(b *bed) { b.Publish(b.importPosts(1_000, "early")); b.analyse() },
		"analysed before the project": func(b *bed) {
			b.Publish(b.importPosts(1_000, "early"))
			b.analyse()
			p, err := project.Create(b.Context(), b.Pool, b.Actor, entrytest.One[content.OrganizationID](b.Bed, `SELECT id FROM organization`), project.NewProject{Slug: "second"})
			b.OK(err)
			b.ID = p.ID
			b.Push(entrytest.Posts, entrytest.Authors)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			cfg := b.Pool.Config()
			cfg.MaxConns = 1 // whose statistics of use are read below
			pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
			b.OK(err)
			t.Cleanup(pool.Close)
			b.Pool = pool
			for _, table := range []string{"entry", "revision", "change_set_item", "publication", "release_item"} {
				_, err := pool.Exec(t.Context(), `ALTER TABLE `+table+` SET (autovacuum_enabled = false)`)
				b.OK(err)
			}
			analysed(b)
			b.Publish(b.importPosts(before, "before"))
			at := func(what string, do func()) { b.readsAtMost(most*entries, what, do) }
			var set *changeset.ChangeSet
			var first, last *changeset.Published
			at("importing", func() { set = b.importPosts(entries, "after") })
			at("comparing", func() { b.diffAll(set, entries) })
			at("validating", func() { b.validated(set) })
			at("publishing", func() { first = b.Publish(set) })
			at("importing edits", func() { set = b.importEdits(first.EntryIDs, `{"body":"Mine"}`) })
			b.Publish(b.importEdits(first.EntryIDs, `{"title":"Theirs"}`))
			at("comparing edits", func() { b.diffAll(set, entries) })
			at("planning a rebase", func() { b.rebased(set, entry.Fail, true, entries) })
			at("rebasing", func() { b.rebased(set, entry.Fail, false, entries) })
			at("publishing edits", func() { last = b.Publish(set) })
			at("reverting", func() { set = b.reverted(last, false) })
			at("publishing a revert", func() { b.Publish(set) })
			set = b.importEdits(first.EntryIDs, `{"body":"Late"}`)
			at("refusing to revert", func() { b.refusesToRevert(first) })
			b.Publish(b.reverted(first, true))
			at("dropping edits", func() { b.rebased(set, entry.TakeTheirs, false, entries) })
			at("closing", func() { b.closed(b.importPosts(entries, "closed")) })
		})
	}
}

func (b *bed) readsAtMost(most int, what string, do func()) {
	b.Helper()
	before := b.rowsRead()
	do()
	read := b.rowsRead() - before
	b.Logf("%s reads %d rows", what, read)
	if read > most {
		b.Errorf("more than %d", most)
	}
}

// rowsRead is how many rows the session has read of tables and indexes.
func (b *bed) rowsRead() int {
	b.Helper()
	_, err := b.Pool.Exec(b.Context(), `SELECT pg_stat_force_next_flush()`)
	b.OK(err)
	return entrytest.One[int](b.Bed, `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)`)
}

func (b *bed) analyse() {
	_, err := b.Pool.Exec(b.Context(), `ANALYZE`)
	b.OK(err)
}

func (b *bed) importPosts(n int, title string) *changeset.ChangeSet {
	b.Helper()
	return b.importEach(entry.ImportOptions{}, n, func(i int) entry.ImportRow {
		return entry.ImportRow{Data: jsontext.Value(fmt.Sprintf(`{"title": "%s %d"}`, title, i))}
	})
}

// importEdits stages the same edit of entries in a new set.
func (b *bed) importEdits(ids []content.EntryID, data string) *changeset.ChangeSet {
	b.Helper()
	return b.importEach(entry.ImportOptions{ChangeSet: string(b.Set("Edits").ID)}, len(ids), func(i int) entry.ImportRow {
		return entry.ImportRow{ID: ids[i], Data: jsontext.Value(data)}
	})
}

func (b *bed) importEach(o entry.ImportOptions, n int, row func(i int) entry.ImportRow) *changeset.ChangeSet {
	b.Helper()
	out, err := entry.Import(b.Context(), b.Pool, b.Actor, b.ID, "posts", o, func(yield func(entry.ImportRow, error) bool) {
		for i := range n {
			if !yield(row(i), nil) {
				return
			}
		}
	})
	b.OK(err)
	return out.ChangeSet
}

// diffAll reads every page of a diff.
func (b *bed) diffAll(set *changeset.ChangeSet, items int) {
	b.Helper()
	p, err := project.Get(b.Context(), b.Pool, string(b.ID))
	b.OK(err)
	page, found := postgres.Page{Limit: postgres.MaxLimit}, 0
	for {
		list, err := changeset.Diff(b.Context(), b.Pool, b.Actor, p, string(set.ID), page)
		b.OK(err)
		found += len(list.Items)
		if page.Cursor = list.NextCursor; page.Cursor == "" {
			break
		}
	}
	if found != items {
		b.Errorf("the diff has %d items, not %d", found, items)
	}
}

func (b *bed) validated(set *changeset.ChangeSet) {
	b.Helper()
	v, err := changeset.Validate(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID))
	b.OK(err)
	if v.Detail != "" {
		b.Error(v.Detail)
	}
}

func (b *bed) rebased(set *changeset.ChangeSet, on entry.OnConflict, dryRun bool, items int) {
	b.Helper()
	out, err := entry.Rebase(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID), on, dryRun)
	b.OK(err)
	if len(out.Items) != items {
		b.Errorf("%d items are rebased, not %d", len(out.Items), items)
	}
}

func (b *bed) reverted(p *changeset.Published, force bool) *changeset.ChangeSet {
	b.Helper()
	set, err := entry.Revert(b.Context(), b.Pool, b.Actor, b.ID, fmt.Sprint(p.Release.Number), "", force)
	b.OK(err)
	return set
}

func (b *bed) refusesToRevert(p *changeset.Published) {
	b.Helper()
	_, err := entry.Revert(b.Context(), b.Pool, b.Actor, b.ID, fmt.Sprint(p.Release.Number), "", false)
	b.Refused(err, fault.Conflict)
}

func (b *bed) closed(set *changeset.ChangeSet) {
	b.Helper()
	_, err := changeset.Close(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID))
	b.OK(err)
}
