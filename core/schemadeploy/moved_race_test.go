package schemadeploy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/testrand"
	"svc/shared/validate"
)

const needed = `{"name":"notes","fields":{"f":{"type":"text","localized":true,"required":true}}}`

// Locales that change while everybody writes leave no head that does not fit them, in no snapshot of the database.
func TestLocalesAndWritesAtOnceLeaveNoMisfit(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, needed)
	var over atomic.Bool
	var moved, written [2]atomic.Int64
	group, ctx := errgroup.WithContext(t.Context())
	group.Go(func() error {
		defer over.Store(true)
		random := rand.New(rand.NewPCG(3, 0))
		for range 60 * testrand.Scale {
			next := localesOf([]string{"", "en", "en de", "de en", "de"}[random.IntN(5)])
			_, err := schemadeploy.Configure(ctx, b.Pool, b.Actor, b.ID, next)
			if err := count(&moved, err, fault.Conflict); err != nil {
				return err
			}
		}
		return nil
	})
	for n := range 3 {
		random := rand.New(rand.NewPCG(4, uint64(n)))
		group.Go(func() error {
			for !over.Load() && ctx.Err() == nil {
				data := []string{`{"f":"x"}`, `{"f":{"en":"x"}}`, `{"f":{"de":"x"}}`, `{"f":{"en":"x","de":"y"}}`}[random.IntN(4)]
				w, err := entry.Create(ctx, b.Pool, b.Actor, b.ID, "notes", entrytest.Write(nil, data))
				if err := count(&written, err, fault.ValidationFailed); err != nil {
					return err
				}
				if w == nil {
					continue
				}
				if _, err := entry.Delete(ctx, b.Pool, b.Actor, b.ID, string(w.Entry.ID), string(w.ChangeSet.ID)); err != nil {
					return err
				}
				if _, err := changeset.Publish(ctx, b.Pool, b.Actor, b.ID, string(w.ChangeSet.ID), true); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for !over.Load() && ctx.Err() == nil {
			if err := everyHeadFits(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
	b.OK(group.Wait())
	b.OK(everyHeadFits(t.Context(), b))
	t.Logf("locales refused and taken: %d, %d; writes %d, %d", moved[0].Load(), moved[1].Load(), written[0].Load(), written[1].Load())
	for _, n := range []*[2]atomic.Int64{&moved, &written} {
		if n[0].Load() == 0 || n[1].Load() == 0 {
			t.Errorf("%d were refused and %d not: nothing was put to the test", n[0].Load(), n[1].Load())
		}
	}
}

// everyHeadFits looks at everything there is at one moment.
func everyHeadFits(ctx context.Context, b *entrytest.Bed) error {
	c, err := schema.Parse([]byte(needed))
	if err != nil {
		return err
	}
	return postgres.ReadTx(ctx, b.Pool, func(tx pgx.Tx) error {
		p, err := project.Get(ctx, tx, string(b.ID))
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT r.fields FROM entry e JOIN revision r ON r.id IN (e.published_revision_id, e.draft_revision_id)
			WHERE e.project_id = $1 AND e.deleted_at IS NULL`, b.ID)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, fields := range all {
			items, err := validate.Stored(c, schemadeploy.Locales(p), jsontext.Value(fields))
			if err != nil {
				return err
			}
			if len(items) > 0 {
				return fmt.Errorf("%s does not fit %v, %s: %+v", fields, p.Locales, p.DefaultLocale, items)
			}
		}
		return nil
	})
}
