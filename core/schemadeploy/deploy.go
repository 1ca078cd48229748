package schemadeploy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changelog"
	"svc/core/event"
	"svc/core/project"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/schema"
)

// step is what a push does to one collection.
type step struct {
	schema    *schema.Collection
	hash      string
	version   uint32
	canonical string // as stored with the version
	made      bool   // the version is new
	moved     bool   // the collection gets another version than it had
	labelled  bool   // the collection gets another label
}

// deploy writes what changes, and returns the versions of the whole set. A set that is in force already writes
// nothing.
func deploy(ctx context.Context, tx pgx.Tx, actor *access.Actor, p *project.Project, set Set, proposed []*schema.Collection, summary string) (map[string]uint32, error) {
	steps, err := plan(ctx, tx, p.ID, set, proposed)
	if err != nil {
		return nil, err
	}
	versions := map[string]uint32{}
	for _, s := range steps {
		versions[s.schema.Name] = s.version
	}
	steps = slices.DeleteFunc(steps, func(s step) bool { return !s.moved && !s.labelled })
	gone := absent(set, proposed)
	if len(steps)+len(gone) == 0 {
		return versions, nil
	}
	number, from, err := nextPush(ctx, tx, p.ID)
	if err != nil {
		return nil, err
	}
	if err := write(ctx, tx, actor, p.ID, steps, gone, number, from, summary); err != nil {
		return nil, err
	}
	if err := report(ctx, tx, actor, p, steps, gone, summary); err != nil {
		return nil, err
	}
	return versions, appendPush(ctx, tx, p.ID, steps, gone, number, from)
}

// absent lists what is in force and not proposed, by name.
func absent(set Set, proposed []*schema.Collection) []string {
	gone := []string{}
	for _, d := range set {
		if !slices.ContainsFunc(proposed, func(c *schema.Collection) bool { return c.Name == d.Schema.Name }) {
			gone = append(gone, d.Schema.Name)
		}
	}
	return gone
}

// plan finds the version of every proposed collection: the one in force, an earlier one with the same hash, or the
// next number. Steps are ordered by name.
func plan(ctx context.Context, tx pgx.Tx, id content.ProjectID, set Set, proposed []*schema.Collection) ([]step, error) {
	hashes := make([]string, len(proposed))
	for i, c := range proposed {
		hashes[i] = c.Hash()
	}
	known, newest, err := knownVersions(ctx, tx, id, hashes)
	if err != nil {
		return nil, err
	}
	steps := make([]step, 0, len(proposed))
	for i, c := range proposed {
		s := step{schema: c, hash: hashes[i]}
		earlier, exists := known[c.Name+"\x00"+s.hash]
		if exists {
			s.version, s.canonical = earlier.version, earlier.canonical
		} else {
			s.version, s.canonical, s.made = newest[c.Name]+1, string(c.Canonical()), true
		}
		d := set.Get(c.Name)
		s.moved = d == nil || d.Version != s.version
		s.labelled = d == nil || d.Schema.Label != c.Label
		steps = append(steps, s)
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.schema.Name, b.schema.Name) })
	return steps, nil
}

type known struct {
	version   uint32
	canonical string
}

// knownVersions returns every version of the project by name and hash, with its text where the hash is one of those
// wanted, and the newest number of each name.
func knownVersions(ctx context.Context, tx pgx.Tx, id content.ProjectID, hashes []string) (map[string]known, map[string]uint32, error) {
	rows, err := tx.Query(ctx, `
		SELECT name, version, hash, CASE WHEN hash = ANY($2) THEN canonical ELSE '' END
		FROM collection_version WHERE project_id = $1`, id, hashes)
	if err != nil {
		return nil, nil, fmt.Errorf("reading versions: %w", err)
	}
	byHash, newest := map[string]known{}, map[string]uint32{}
	var name, hash string
	var k known
	_, err = pgx.ForEachRow(rows, []any{&name, &k.version, &hash, &k.canonical}, func() error {
		byHash[name+"\x00"+hash] = k
		newest[name] = max(newest[name], k.version)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading versions: %w", err)
	}
	return byHash, newest, nil
}

// nextPush returns the number of a push and the first release that will be published under it.
func nextPush(ctx context.Context, tx pgx.Tx, id content.ProjectID) (number, from uint64, err error) {
	err = tx.QueryRow(ctx, `
		SELECT coalesce((SELECT max(number) FROM schema_push WHERE project_id = $1), 0) + 1, number + 1
		FROM release_head WHERE project_id = $1`, id).Scan(&number, &from)
	if err != nil {
		return 0, 0, fmt.Errorf("numbering a push: %w", err)
	}
	return number, from, nil
}

func write(ctx context.Context, tx pgx.Tx, actor *access.Actor, id content.ProjectID, steps []step, gone []string, number, from uint64, summary string) error {
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO schema_push (project_id, number, from_release, summary, created_by) VALUES ($1, $2, $3, $4, $5)`,
		id, number, from, summary, actor.IDOrNil())
	for _, s := range steps {
		if s.made {
			batch.Queue(`INSERT INTO collection_version (project_id, name, version, canonical, hash, summary, created_by)
				VALUES ($1, $2, $3, $4, $5, $6, $7)`, id, s.schema.Name, s.version, s.canonical, s.hash, summary, actor.IDOrNil())
		}
		batch.Queue(`INSERT INTO collection (project_id, name, version, label) VALUES ($1, $2, $3, $4)
			ON CONFLICT (project_id, name) DO UPDATE
			SET version = excluded.version, label = excluded.label, removed_at = NULL, updated_at = now()`,
			id, s.schema.Name, s.version, s.schema.Label)
		batch.Queue(`INSERT INTO schema_push_collection (project_id, number, name, version, label) VALUES ($1, $2, $3, $4, $5)`,
			id, number, s.schema.Name, s.version, s.schema.Label)
	}
	for _, name := range gone {
		remove(batch, id, name)
		batch.Queue(`INSERT INTO schema_push_collection (project_id, number, name) VALUES ($1, $2, $3)`, id, number, name)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("storing a push: %w", err)
	}
	return nil
}

func report(ctx context.Context, tx pgx.Tx, actor *access.Actor, p *project.Project, steps []step, gone []string, summary string) error {
	data := event.SchemaData{Versions: map[string]uint32{}, Removed: gone, Summary: summary}
	for _, s := range steps {
		data.Versions[s.schema.Name] = s.version
	}
	if err := event.Emit(ctx, tx, p.ID, actor, event.Event{Type: event.SchemaPushed, Data: data}); err != nil {
		return err
	}
	return event.Audit(ctx, tx, actor, event.Record{
		Organization: p.Organization, Project: p.ID, Action: event.SchemaPush, Subject: string(p.ID), Detail: data,
	})
}

// appendPush tells the edges. The change names the push, whose rows never change; its digest covers the message made
// of them, with the collections by name, and by name those that are removed.
func appendPush(ctx context.Context, tx pgx.Tx, id content.ProjectID, steps []step, gone []string, number, from uint64) error {
	m := &recordpb.Schema{FromRelease: from, Removed: gone}
	for _, s := range steps {
		m.Collections = append(m.Collections, &recordpb.CollectionVersion{
			Name: s.schema.Name, Version: s.version, Canonical: []byte(s.canonical), Hash: s.hash, Label: s.schema.Label,
		})
	}
	digest, err := record.Digest(record.KindSchema, m)
	if err != nil {
		return err
	}
	_, err = changelog.Append(ctx, tx, string(id), record.KindSchema, digest, int64(number), nil)
	return err
}
