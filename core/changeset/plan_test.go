package changeset_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/shared/content"
)

// What an import and a publish read grows with what they bring, whatever PostgreSQL believes of its tables: with statistics
// of other times, or none, it must not read a whole collection, or a whole change set, for each entry.
func TestNothingIsReadForEachEntryButItsOwn(t *testing.T) {
	t.Parallel()
	const before, entries, most = 1_500, 1_500, 60
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
			var set *changeset.ChangeSet
			b.readsAtMost(most*entries, "importing", func() { set = b.importPosts(entries, "after") })
			b.readsAtMost(most*entries, "publishing", func() { b.Publish(set) })
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
	out, err := entry.Import(b.Context(), b.Pool, b.Actor, b.ID, "posts", entry.ImportOptions{}, func(yield func(entry.ImportRow, error) bool) {
		for i := range n {
			if !yield(entry.ImportRow{Data: jsontext.Value(fmt.Sprintf(`{"title": "%s %d"}`, title, i))}, nil) {
				return
			}
		}
	})
	b.OK(err)
	return out.ChangeSet
}
