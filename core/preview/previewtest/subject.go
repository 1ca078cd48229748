// Package previewtest fills a migrated database with the changes that the suite of package readtest makes, so that
// everything which reads published content from PostgreSQL can run that suite. Only tests import it.
package previewtest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/core/preview"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// Subject is a readtest.KeySubject. It writes the rows that the domain packages would have written, with the times
// and ids that the suite says.
type Subject struct {
	pool  *pgxpool.Pool
	store *preview.Store
}

// New returns a subject on a migrated, empty database.
func New(pool *pgxpool.Pool) *Subject {
	return &Subject{pool: pool, store: preview.New(pool, 0)}
}

// Store implements readtest.Subject.
func (s *Subject) Store() read.Store { return s.store }

// Keys implements readtest.KeySubject.
func (s *Subject) Keys() read.Keys { return preview.Keys{Pool: s.pool} }

func (s *Subject) batch(ctx context.Context, fill func(b *pgx.Batch)) error {
	var b pgx.Batch
	fill(&b)
	return postgres.InTx(ctx, s.pool, func(tx pgx.Tx) error { return tx.SendBatch(ctx, &b).Close() })
}

// PutSettings implements readtest.Subject.
func (s *Subject) PutSettings(ctx context.Context, p readtest.Settings) error {
	return s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(`INSERT INTO organization (id, slug, name) VALUES ($1, replace($1, '_', '-'), 'Test') ON CONFLICT DO NOTHING`, p.Organization)
		b.Queue(`
			INSERT INTO project (id, organization_id, slug, name, public_api_enabled, allowed_origins, locales, default_locale,
			                     cursor_key, deleted_at, pinned_release)
			VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, CASE WHEN $9 THEN now() END, nullif($10::bigint, 0))
			ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, public_api_enabled = excluded.public_api_enabled,
			    allowed_origins = excluded.allowed_origins, locales = excluded.locales, default_locale = excluded.default_locale,
			    cursor_key = excluded.cursor_key, deleted_at = excluded.deleted_at, pinned_release = excluded.pinned_release`,
			p.ID, p.Organization, p.Slug, p.PublicAPIEnabled, filled(p.AllowedOrigins), filled(p.Locales), p.DefaultLocale,
			p.CursorKey, p.Deleted, int64(p.Pinned))
		b.Queue(`INSERT INTO release_head (project_id) VALUES ($1) ON CONFLICT DO NOTHING`, p.ID)
		b.Queue(`INSERT INTO project_locales (project_id, from_release, locales, default_locale) VALUES ($1, $2, $3, $4)
			ON CONFLICT (project_id, from_release) DO UPDATE SET locales = excluded.locales, default_locale = excluded.default_locale`,
			p.ID, int64(p.From), filled(p.Locales), p.DefaultLocale)
	})
}

func filled(list []string) []string { return append([]string{}, list...) }

// PutSchema implements readtest.Subject.
func (s *Subject) PutSchema(ctx context.Context, project content.ProjectID, in readtest.Schema) error {
	return s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(`INSERT INTO schema_push (project_id, number, from_release) VALUES ($1, $2, $3)`, project, int64(in.Number), int64(in.From))
		for _, c := range in.Collections {
			b.Queue(`INSERT INTO collection_version (project_id, name, version, canonical, hash) VALUES ($1, $2, $3, $4::text, md5($4::text))
				ON CONFLICT DO NOTHING`, project, c.Name, c.Version, string(c.Canonical))
			b.Queue(`INSERT INTO collection (project_id, name, version, label) VALUES ($1, $2, $3, $4)
				ON CONFLICT (project_id, name) DO UPDATE SET version = excluded.version, label = excluded.label, removed_at = NULL`,
				project, c.Name, c.Version, c.Label)
			b.Queue(`INSERT INTO schema_push_collection (project_id, number, name, version, label) VALUES ($1, $2, $3, $4, $5)`,
				project, int64(in.Number), c.Name, c.Version, c.Label)
		}
		for _, name := range in.Removed {
			b.Queue(`UPDATE collection SET removed_at = now() WHERE project_id = $1 AND name = $2`, project, name)
			b.Queue(`INSERT INTO schema_push_collection (project_id, number, name) VALUES ($1, $2, $3)`, project, int64(in.Number), name)
		}
	})
}

// Publish implements readtest.Subject.
func (s *Subject) Publish(ctx context.Context, project content.ProjectID, r readtest.Release) error {
	set := content.NewID[content.ChangeSetID]()
	n := int64(r.Number)
	return s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(`INSERT INTO change_set (id, project_id, title, status, release_number) VALUES ($1, $2, 'Test', 'published', $3)`, set, project, n)
		b.Queue(`INSERT INTO release (project_id, number, published_at, change_set_id, title, item_count) VALUES ($1, $2, $3, $4, 'Test', $5)`,
			project, n, r.PublishedAt, set, len(r.Items))
		b.Queue(`UPDATE release_head SET number = $2, published_at = $3 WHERE project_id = $1`, project, n, r.PublishedAt)
		for _, it := range r.Items {
			b.Queue(`UPDATE publication SET to_release = $2 WHERE entry_id = $1 AND to_release = 9223372036854775807`, it.Entry, n)
			if it.Revision == "" {
				b.Queue(`UPDATE entry SET published_revision_id = NULL, published_slug = NULL, deleted_at = CASE WHEN $2 THEN now() END WHERE id = $1`,
					it.Entry, it.Deleted)
				continue
			}
			queuePut(b, project, n, set, it)
		}
	})
}

// queueRevision stores content of a change set, unless it is there already.
func queueRevision(b *pgx.Batch, project content.ProjectID, set content.ChangeSetID, it readtest.Item) {
	b.Queue(`INSERT INTO entry (id, project_id, collection) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`, it.Entry, project, it.Collection)
	b.Queue(`INSERT INTO revision (id, project_id, entry_id, schema_version, slug, fields, fields_hash, change_set_id)
		VALUES ($1, $2, $3, $4, nullif($5, ''), $6, sha256(convert_to($6, 'UTF8')), $7) ON CONFLICT (id) DO NOTHING`,
		it.Revision, project, it.Entry, it.SchemaVersion, it.Slug, it.Fields, set)
}

func queuePut(b *pgx.Batch, project content.ProjectID, release int64, set content.ChangeSetID, it readtest.Item) {
	queueRevision(b, project, set, it)
	b.Queue(`UPDATE entry SET published_revision_id = $2, last_published_revision_id = $2, published_slug = nullif($3, ''),
		published_release = $4, deleted_at = NULL WHERE id = $1`, it.Entry, it.Revision, it.Slug, release)
	b.Queue(`INSERT INTO publication (project_id, collection, entry_id, from_release, revision_id, slug)
		VALUES ($1, $2, $3, $4, $5, nullif($6, ''))`, project, it.Collection, it.Entry, release, it.Revision, it.Slug)
}

// Preview implements readtest.PreviewSubject: it stages the release in an open change set.
func (s *Subject) Preview(ctx context.Context, project content.ProjectID, r readtest.Release) (read.View, error) {
	set := content.NewID[content.ChangeSetID]()
	err := s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(`INSERT INTO change_set (id, project_id, title) VALUES ($1, $2, 'Test')`, set, project)
		for _, it := range r.Items {
			operation := content.OperationUpdate
			switch {
			case it.Deleted:
				operation = content.OperationDelete
			case it.Revision == "":
				operation = content.OperationUnpublish
			default:
				queueRevision(b, project, set, it)
			}
			b.Queue(`INSERT INTO change_set_item (change_set_id, resource_type, resource_id, operation, target_revision_id, collection, slug)
				VALUES ($1, 'entry', $2, $3, nullif($4, ''), $5, nullif($6, ''))`, set, it.Entry, string(operation), it.Revision, it.Collection, it.Slug)
		}
	})
	if err != nil {
		return nil, err
	}
	v, err := s.store.Open(ctx, string(project))
	if err != nil {
		return nil, err
	}
	shown, err := preview.Tokens{Pool: s.pool}.View(ctx, v, &read.Preview{ChangeSet: set})
	if err != nil {
		v.Close()
		return nil, err
	}
	return shown, nil
}

// Arrange implements readtest.Subject.
func (s *Subject) Arrange(ctx context.Context, _ content.ProjectID, r readtest.Ranks) error {
	return s.batch(ctx, func(b *pgx.Batch) {
		for entry, rank := range r.Entries {
			b.Queue(`UPDATE entry SET rank = nullif($2, '') WHERE id = $1`, entry, rank)
		}
	})
}

// Settle implements readtest.Subject: the database has a clock of its own, and asking about a time settles it.
func (s *Subject) Settle(ctx context.Context, t time.Time) error {
	var project content.ProjectID
	err := s.pool.QueryRow(ctx, `SELECT id FROM project WHERE deleted_at IS NULL LIMIT 1`).Scan(&project)
	if err != nil {
		return fmt.Errorf("settling: %w", err)
	}
	v, err := s.store.Open(ctx, string(project))
	if err != nil {
		return err
	}
	defer v.Close()
	_, _, err = v.ReleaseAt(ctx, t)
	return err
}

// PutKey implements readtest.KeySubject.
func (s *Subject) PutKey(ctx context.Context, g credential.Grant) error {
	var project *content.ProjectID
	if g.Project != "" {
		project = &g.Project
	}
	var expires *time.Time
	if !g.ExpiresAt.IsZero() {
		expires = &g.ExpiresAt
	}
	scopes := make([]string, len(g.Scopes))
	for i, scope := range g.Scopes {
		scopes[i] = string(scope)
	}
	return s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(`INSERT INTO organization (id, slug, name) VALUES ($1, replace($1, '_', '-'), 'Test') ON CONFLICT DO NOTHING`, g.Organization)
		b.Queue(`
			INSERT INTO api_key (id, organization_id, project_id, public_id, hash, label, scopes, collections, expires_at, revoked_at)
			VALUES ($1, $2, $3, $4, $5, 'test', $6, $7, $8, CASE WHEN $9 THEN now() END)
			ON CONFLICT (public_id) DO UPDATE SET revoked_at = excluded.revoked_at`,
			g.Key, g.Organization, project, g.PublicID, g.Hash[:], scopes, filled(g.Collections), expires, g.Revoked)
	})
}
