package changelog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
)

// State implements snapshot.View.
func (v *view) State(ctx context.Context, emit snapshot.Emit) error {
	if v.organization {
		return v.organizationState(ctx, emit)
	}
	settings, err := v.settings(ctx)
	if err != nil {
		return err
	}
	for _, p := range settings {
		if err := emit(record.KindProject, p); err != nil {
			return err
		}
	}
	return v.schemas(ctx, emit)
}

// settings returns the project once for each set of locales that it had, with all else as it is now: nothing else of
// the past is read. Last comes what is in force, the same as in the project's newest change.
func (v *view) settings(ctx context.Context) ([]*recordpb.Project, error) {
	rows, err := v.tx.Query(ctx, `SELECT p.id, p.organization_id, p.slug, p.name, p.public_api_enabled, p.allowed_origins,
			p.cursor_key, p.deleted_at IS NOT NULL, coalesce(p.pinned_release, 0), h.number + 1, l.locales, l.default_locale, l.from_release
		FROM project p JOIN project_locales l ON l.project_id = p.id JOIN release_head h ON h.project_id = p.id
		WHERE p.id = $1 ORDER BY l.from_release`, v.log)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", v.log, err)
	}
	var deleted bool
	var next uint64
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*recordpb.Project, error) {
		p := &recordpb.Project{}
		return p, row.Scan(&p.Id, &p.Organization, &p.Slug, &p.Name, &p.PublicApiEnabled, &p.AllowedOrigins,
			&p.CursorKey, &deleted, &p.PinnedRelease, &next, &p.Locales, &p.DefaultLocale, &p.FromRelease)
	})
	if err == nil && len(all) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", v.log, err)
	}
	if deleted { // under the number that would have been the next, which never comes
		end := proto.CloneOf(all[len(all)-1])
		end.Deleted, end.FromRelease = true, next
		all = append(all, end)
	}
	return all, nil
}

// pushBatch is how many schema deployments are read at once.
const pushBatch = 100

func (v *view) schemas(ctx context.Context, emit snapshot.Emit) error {
	rows, err := v.tx.Query(ctx, `SELECT number FROM schema_push WHERE project_id = $1 ORDER BY number`, v.log)
	if err != nil {
		return fmt.Errorf("reading schema pushes of %s: %w", v.log, err)
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("reading schema pushes of %s: %w", v.log, err)
	}
	for len(numbers) > 0 {
		some := numbers[:min(pushBatch, len(numbers))]
		pushes, err := schemaPushes(ctx, v.tx, v.log, some)
		if err != nil {
			return err
		}
		for _, n := range some {
			if err := emit(record.KindSchema, pushes[n]); err != nil {
				return err
			}
		}
		numbers = numbers[len(some):]
	}
	return nil
}

// organizationState emits an organization and its keys, as their changes do.
func (v *view) organizationState(ctx context.Context, emit snapshot.Emit) error {
	o := &recordpb.Organization{}
	err := v.tx.QueryRow(ctx, `SELECT id, slug, name, deleted_at IS NOT NULL FROM organization WHERE id = $1`, v.log).
		Scan(&o.Id, &o.Slug, &o.Name, &o.Deleted)
	if err != nil {
		return fmt.Errorf("reading organization %s: %w", v.log, err)
	}
	if err := emit(record.KindOrganization, o); err != nil {
		return err
	}
	rows, err := v.tx.Query(ctx, `SELECT id, public_id, hash, coalesce(project_id, ''), scopes, collections, expires_at,
		revoked_at IS NOT NULL FROM api_key WHERE organization_id = $1 ORDER BY id`, v.log)
	if err != nil {
		return fmt.Errorf("reading the keys of %s: %w", v.log, err)
	}
	defer rows.Close()
	for rows.Next() {
		k := &recordpb.Key{}
		var expires *time.Time
		if err := rows.Scan(&k.Id, &k.PublicId, &k.Hash, &k.Project, &k.Scopes, &k.Collections, &expires, &k.Revoked); err != nil {
			return fmt.Errorf("reading the keys of %s: %w", v.log, err)
		}
		if expires != nil {
			k.ExpiresMs = expires.UnixMilli()
		}
		if err := emit(record.KindKey, k); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading the keys of %s: %w", v.log, err)
	}
	return nil
}
