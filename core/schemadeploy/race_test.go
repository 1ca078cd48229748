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
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/testrand"
	"svc/shared/validate"
	"svc/shared/value"
)

// alternatives are schemas that no entry need fit all of.
var alternatives = []string{
	`{"name":"notes","visibility":"public","fields":{"text":{"type":"text"}}}`,
	`{"name":"notes","visibility":"public","fields":{"text":{"type":"text","maxLength":3}}}`,
	`{"name":"notes","visibility":"public","fields":{"text":{"type":"text","required":true}}}`,
	`{"name":"notes","visibility":"public","fields":{"text":{"type":"text","enum":["a","long"]},"more":{"type":"number"}}}`,
	``, // none at all
}

var writings = []string{`{}`, `{"text":"a"}`, `{"text":"long"}`, `{"text":null}`, `{"text":"a","more":1}`}

// race is a project in which everybody works at once.
type race struct {
	*entrytest.Bed
	over    atomic.Bool
	pushed  [2]atomic.Int64 // refused ones, those in force
	written [2]atomic.Int64
	shipped [2]atomic.Int64
}

// A push, a write and a publish at the same moment leave no entry that does not fit what is in force: not in any
// snapshot of the database, and not in any release under the schema of its time.
func TestPushesWritesAndPublishesAtOnceLeaveNoMisfit(t *testing.T) {
	t.Parallel()
	r := &race{Bed: entrytest.New(t)}
	first := entrytest.Proposal(alternatives[0])
	first.AllowDestructive = true
	_, err := schemadeploy.Push(t.Context(), r.Pool, r.Actor, r.ID, first)
	r.OK(err)
	group, ctx := errgroup.WithContext(t.Context())
	var pushers errgroup.Group
	for n := range 2 {
		pushers.Go(func() error { return r.push(ctx, rand.New(rand.NewPCG(1, uint64(n)))) })
	}
	group.Go(func() error {
		defer r.over.Store(true)
		return pushers.Wait()
	})
	for n := range 6 {
		group.Go(func() error { return r.write(ctx, rand.New(rand.NewPCG(2, uint64(n)))) })
	}
	group.Go(func() error {
		for !r.over.Load() && ctx.Err() == nil {
			if err := r.look(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	r.OK(group.Wait())
	r.OK(r.look(t.Context()))
	r.OK(r.lookBack(t.Context()))
	t.Logf("pushes %d of %d, writes %d of %d, releases %d of %d", r.pushed[1].Load(), r.pushed[0].Load()+r.pushed[1].Load(),
		r.written[1].Load(), r.written[0].Load()+r.written[1].Load(), r.shipped[1].Load(), r.shipped[0].Load()+r.shipped[1].Load())
	for what, n := range map[string]*[2]atomic.Int64{"pushes": &r.pushed, "writes": &r.written, "releases": &r.shipped} {
		if n[0].Load() == 0 || n[1].Load() == 0 {
			t.Errorf("of the %s %d were refused and %d not: nothing was put to the test", what, n[0].Load(), n[1].Load())
		}
	}
}

// count takes an outcome: done, or refused for a reason that is right here.
func count(n *[2]atomic.Int64, err error, right ...fault.Code) error {
	if err == nil {
		n[1].Add(1)
		return nil
	}
	for _, code := range right {
		if fault.Is(err, code) {
			n[0].Add(1)
			return nil
		}
	}
	return err
}

func (r *race) push(ctx context.Context, random *rand.Rand) error {
	for range 30 * testrand.Scale {
		var set []string
		if next := alternatives[random.IntN(len(alternatives))]; next != "" {
			set = append(set, next)
		}
		in := entrytest.Proposal(set...)
		in.AllowDestructive = true
		_, err := schemadeploy.Push(ctx, r.Pool, r.Actor, r.ID, in)
		if err := count(&r.pushed, err, fault.ValidationFailed); err != nil {
			return err
		}
	}
	return nil
}

// write makes entries, edits them, and deletes and publishes what it has, so that misfits do not pile up.
func (r *race) write(ctx context.Context, random *rand.Rand) error {
	var last *entry.Written
	for !r.over.Load() && ctx.Err() == nil {
		data := entrytest.Write(nil, writings[random.IntN(len(writings))])
		w, err := entry.Create(ctx, r.Pool, r.Actor, r.ID, "notes", data)
		if err := count(&r.written, err, fault.ValidationFailed, fault.NotFound); err != nil {
			return err
		}
		if w == nil {
			w = last
		}
		if w == nil {
			continue
		}
		id := string(w.Entry.ID)
		if random.IntN(2) == 0 {
			_, err := entry.Patch(ctx, r.Pool, r.Actor, r.ID, id, entrytest.Write(nil, writings[random.IntN(len(writings))]))
			if err := count(&r.written, err, fault.ValidationFailed, fault.NotFound, fault.Conflict); err != nil {
				return err
			}
		}
		if random.IntN(4) > 0 {
			_, err := entry.Delete(ctx, r.Pool, r.Actor, r.ID, id, string(w.ChangeSet.ID))
			if err := count(&r.written, err, fault.NotFound, fault.Conflict); err != nil {
				return err
			}
		}
		_, err = changeset.Publish(ctx, r.Pool, r.Actor, r.ID, string(w.ChangeSet.ID), true)
		if err := count(&r.shipped, err, fault.PublishValidationFailed, fault.Conflict); err != nil {
			return err
		}
		last = w
	}
	return nil
}

// look validates everything there is at one moment.
func (r *race) look(ctx context.Context) error {
	return postgres.ReadTx(ctx, r.Pool, func(tx pgx.Tx) error {
		set, err := schemadeploy.Load(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			SELECT e.collection, r.id, r.fields FROM entry e
			JOIN revision r ON r.id IN (e.published_revision_id, e.draft_revision_id)
			WHERE e.project_id = $1 AND e.deleted_at IS NULL
			UNION ALL SELECT i.collection, r.id, r.fields FROM change_set_item i JOIN change_set s ON s.id = i.change_set_id
			JOIN entry e ON e.id = i.resource_id AND e.deleted_at IS NULL
			JOIN revision r ON r.id = i.target_revision_id WHERE s.project_id = $1 AND s.status IN ('open', 'ready')`, r.ID)
		if err != nil {
			return err
		}
		var collection string
		var revision content.RevisionID
		var fields []byte
		_, err = pgx.ForEachRow(rows, []any{&collection, &revision, &fields}, func() error {
			d := set.Get(collection)
			if d == nil {
				return nil
			}
			return fitting(d, revision, fields)
		})
		return err
	})
}

func fitting(d *schemadeploy.Deployed, revision content.RevisionID, fields []byte) error {
	items, err := validate.Stored(d.Schema, value.Locales{}, jsontext.Value(fields))
	if err == nil && len(items) > 0 {
		return fmt.Errorf("revision %s, %s, does not fit version %d: %+v", revision, fields, d.Version, items)
	}
	return err
}

// lookBack validates every release under the schemas that its readers get.
func (r *race) lookBack(ctx context.Context) error {
	rows, err := r.Pool.Query(ctx, `SELECT p.collection, p.from_release, r.id, r.fields FROM publication p
		JOIN revision r ON r.id = p.revision_id WHERE p.project_id = $1`, r.ID)
	if err != nil {
		return err
	}
	type item struct {
		Collection string
		Release    uint64
		Revision   content.RevisionID
		Fields     []byte
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
	if err != nil {
		return err
	}
	for _, i := range items {
		c, version, err := schemadeploy.SchemaAtRelease(ctx, r.Pool, r.ID, i.Collection, i.Release)
		if err != nil {
			return err
		}
		if c == nil {
			return fmt.Errorf("release %d has an entry of %s, which was removed then", i.Release, i.Collection)
		}
		if err := fitting(&schemadeploy.Deployed{Schema: c, Version: version}, i.Revision, i.Fields); err != nil {
			return fmt.Errorf("release %d: %w", i.Release, err)
		}
	}
	return nil
}
