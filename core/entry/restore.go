package entry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/validate"
)

// Restore stages the content of an earlier revision of an entry as a new draft (interface, "Entry write targeting rules"). One that
// does not fit the schema, the locales or the references of now, or has values of fields that the schema has no more, is
// VALIDATION_FAILED with all that is wrong; a slug that another entry has by now is CONFLICT.
func Restore(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry, revisionID, changeSet string) (*Written, error) {
	var out *Written
	err := changeset.Write(ctx, pool, func(tx pgx.Tx) error {
		to, err := aim(ctx, tx, actor, id, changeSet, entry)
		if err != nil {
			return err
		}
		former, err := revision(ctx, tx, to.id, revisionID)
		if err != nil {
			return err
		}
		f, h, err := headOf(ctx, tx, to, changeSet)
		if err != nil {
			return err
		}
		slug, err := f.slugFor(ctx, tx, id, to.set.ID, h, slugIntent{slug: former.Slug}, former.Fields)
		if err != nil {
			return err
		}
		lost, err := validate.Undeclared(f.schema, f.locales, former.Fields, former.Slug)
		if err != nil {
			return err
		}
		made, err := f.renewOne(ctx, tx, id, former.Fields, slug, lost...)
		if err != nil {
			return err
		}
		out, err = f.save(ctx, tx, actor, id, staged{head: h, set: to.set, draft: made, summary: "Restored " + revisionID})
		return err
	})
	return out, err
}

// Undelete brings a deleted entry back, as an edit: its last published revision, or of an entry that never was published its last
// draft, is staged, and the entry is deleted no more. It must fit the schema, the locales and the references of now, or is
// VALIDATION_FAILED with all that is wrong; but values of fields that the schema has no more are left out, and it may refer to
// entries that are deleted, which come back one after the other, and before it is published. CONFLICT is an entry that is not
// deleted, or for which the change set, or without one any open set, stages something; a slug that another entry has by now; and a
// singleton that has another item by now.
func Undelete(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry, changeSet string) (*Written, error) {
	var out *Written
	err := changeset.Write(ctx, pool, func(tx pgx.Tx) error {
		to, err := aimIf(ctx, tx, actor, id, changeSet, entry, func(r *row) error { return r.refuseUndelete(ctx, tx, changeSet) })
		if err != nil {
			return err
		}
		e, err := read(ctx, tx, id, entry)
		if err != nil {
			return err
		}
		last := *cmp.Or(e.LastPublishedRevisionID, e.DraftRevisionID)
		former, err := readRevisions(ctx, tx, []content.RevisionID{last}, true)
		if err != nil {
			return err
		}
		s := newStaging(tx, actor, to.project)
		s.deletedToo, s.lossy = true, true
		if err := s.bringBack(ctx, to.set, to.row, former[last], "Undeleted"); err != nil {
			return err
		}
		if err := s.store(ctx); err != nil {
			return err
		}
		if err := s.finish(ctx, nil); err != nil {
			return err
		}
		out, err = readWritten(ctx, tx, id, to.id, to.set)
		return err
	})
	return out, err
}

// refuseUndelete is CONFLICT where the entry is not deleted, with the sets that are to delete it, and where the set that it is to
// come back in, or without one any set, stages something for it: no one else's work is replaced.
func (r *row) refuseUndelete(ctx context.Context, tx pgx.Tx, changeSet string) error {
	holders, err := changeset.Holders(ctx, tx, r.id)
	if err != nil {
		return err
	}
	inTheWay := slices.DeleteFunc(holders, func(h changeset.Holder) bool {
		if !r.deleted {
			return h.Operation != content.OperationDelete
		}
		return changeSet != "" && h.ChangeSet != changeSet
	})
	if r.deleted && len(inTheWay) == 0 {
		return nil
	}
	var staged []string
	f := about(r.id, "the entry %s is not deleted", r.id)
	for _, h := range inTheWay {
		f.ChangeSetIDs = append(f.ChangeSetIDs, h.ChangeSet)
		staged = append(staged, fmt.Sprintf("%s (%s)", h.ChangeSet, h.Operation))
	}
	switch {
	case r.deleted:
		f.Detail = fmt.Sprintf("change sets stage something for the deleted entry %s: %s; unstage it there, or name another change set with changeSetId",
			r.id, strings.Join(staged, ", "))
	case len(staged) > 0:
		f.Detail += "; its deletion is staged: unstage it instead"
	}
	return f
}

// headOf is what a write builds on, and what it is written under.
func headOf(ctx context.Context, tx pgx.Tx, to *target, changeSet string) (frame, *head, error) {
	f, err := loadFrame(ctx, tx, to.project, to.collection)
	if err != nil {
		return f, nil, err
	}
	h := &head{row: to.row}
	err = eachHead(ctx, tx, changeSet, false, []content.EntryID{to.id}, func(_ content.EntryID, base *content.RevisionID, on baseline) error {
		h.base, h.on = base, on
		return nil
	})
	return f, h, err
}

// Duplicate makes a new entry with the content of another one, as its newest draft has it, or with a change set as that proposes it.
// References are kept, and the slug is that of the other entry with the first number that neither a published entry nor any draft has.
// It joins the change set, or without one a new one. A singleton is CONFLICT.
func Duplicate(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, entry, changeSet string) (*Written, error) {
	var out *Written
	err := changeset.Write(ctx, pool, func(tx pgx.Tx) error {
		of, err := Get(ctx, tx, actor, id, entry, "")
		if err != nil {
			return err
		}
		if changeSet != "" {
			_, draft, err := proposed(ctx, tx, of, changeSet)
			if err != nil {
				return err
			}
			if draft != nil {
				of.Draft = draft
			}
		}
		if !of.DeletedAt.IsZero() {
			return about(of.ID, "the entry %s is deleted", entry)
		}
		targets, err := changeset.ResolveTargets(ctx, tx, actor, id, changeSet)
		if err != nil {
			return err
		}
		f, err := loadFrame(ctx, tx, targets.Project, of.Collection)
		if err != nil {
			return err
		}
		if f.schema.Kind == schema.KindSingleton {
			return fault.New(fault.Conflict, "the singleton %s has one item", of.Collection)
		}
		set, err := targets.Set(ctx, tx, "")
		if err != nil {
			return err
		}
		h := newEntry()
		slug := of.Draft.Slug
		if slug != nil {
			free, err := f.firstFree(ctx, tx, id, set.ID, h.id, *slug)
			if err != nil {
				return err
			}
			slug = &free
		}
		made, err := f.renewOne(ctx, tx, id, of.Draft.Fields, slug)
		if err != nil {
			return err
		}
		out, err = f.save(ctx, tx, actor, id, staged{head: h, set: set, draft: made, summary: fmt.Sprintf("Duplicate of %s", entry)})
		return err
	})
	return out, err
}
