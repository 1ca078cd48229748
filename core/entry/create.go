package entry

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

const maxSummary = 500 // characters

// Write is what a caller writes. On creation Data is all of the content; in a patch its members replace top-level
// fields, and null ones clear them.
type Write struct {
	Data          jsontext.Value
	Slug          *string
	ChangeSet     string // empty: chosen by the targeting rules
	ChangeSummary string
	// Expected is the revision that a patch must build on; empty: whatever is there.
	Expected string
}

// Create makes an entry as a draft in a change set. A singleton that has its item is CONFLICT.
func Create(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, collection string, in Write) (*Written, error) {
	if err := access.Confine(actor, collection); err != nil {
		return nil, err
	}
	data, err := in.check()
	if err != nil {
		return nil, err
	}
	var out *Written
	err = changeset.Write(ctx, pool, func(tx pgx.Tx) error {
		targets, err := changeset.ResolveTargets(ctx, tx, actor, id, in.ChangeSet)
		if err != nil {
			return err
		}
		f, err := loadFrame(ctx, tx, targets.Project, collection)
		if err != nil {
			return err
		}
		if err := f.claimSingleton(ctx, tx, id); err != nil {
			return err
		}
		set, err := targets.Set(ctx, tx, "")
		if err != nil {
			return err
		}
		h := newEntry()
		made, err := f.compose(ctx, tx, id, set.ID, h, data, in.Slug)
		if err != nil {
			return err
		}
		out, err = f.save(ctx, tx, actor, id, staged{head: h, set: set, draft: made, summary: in.ChangeSummary})
		return err
	})
	return out, err
}

// check brings the data to compact form.
func (in Write) check() (jsontext.Value, error) {
	if n := utf8.RuneCountInString(in.ChangeSummary); n > maxSummary {
		return nil, fault.Invalid("changeSummary", "must have at most %d characters; it has %d", maxSummary, n)
	}
	if len(in.Data) == 0 {
		return jsontext.Value("{}"), nil
	}
	return value.ParseObject(in.Data, "data")
}

// compose makes the content of a revision from what is there and what is written.
func (f frame) compose(ctx context.Context, tx pgx.Tx, p content.ProjectID, set content.ChangeSetID, h *head, data jsontext.Value, slug *string) (draft, error) {
	w, err := f.slugIntentOf(data, slug)
	if err != nil {
		return draft{}, err
	}
	fields, err := f.merge(h.on.fields, data)
	if err != nil {
		return draft{}, err
	}
	settled, err := f.slugFor(ctx, tx, p, set, h, w, fields)
	if err != nil {
		return draft{}, err
	}
	made, items, err := f.finish(fields, settled, h.on.fields == nil)
	if err != nil {
		return draft{}, err
	}
	if len(items) > 0 {
		return draft{}, invalid(items)
	}
	names, err := written(data)
	if err != nil {
		return draft{}, err
	}
	named, err := f.mentions(made.fields, names)
	if err != nil {
		return draft{}, err
	}
	found, err := findMentioned(ctx, tx, p, named)
	if err != nil {
		return draft{}, err
	}
	if items := found.misfits(named); len(items) > 0 {
		return draft{}, invalid(items)
	}
	return made, nil
}

// claimSingleton makes sure that a singleton gets one item: makers of it follow one another, and the second finds
// the first one's.
func (f frame) claimSingleton(ctx context.Context, tx pgx.Tx, p content.ProjectID) error {
	if f.schema.Kind != schema.KindSingleton {
		return nil
	}
	if err := lockCollection(ctx, tx, p, f.schema.Name); err != nil {
		return err
	}
	item, err := f.singleton(ctx, tx, p)
	if err != nil || item == "" {
		return err
	}
	fa := fault.New(fault.Conflict, "the singleton %s has its item already, %s; edit that one", f.schema.Name, item)
	fa.EntryIDs = []string{string(item)}
	return fa
}

// singleton returns the item of a singleton; empty where it has none.
func (f frame) singleton(ctx context.Context, tx pgx.Tx, p content.ProjectID) (item content.EntryID, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce((SELECT id FROM entry
		WHERE project_id = $1 AND collection = $2 AND deleted_at IS NULL LIMIT 1), '')`, p, f.schema.Name).Scan(&item)
	if err != nil {
		return "", fmt.Errorf("looking for the item of a singleton: %w", err)
	}
	return item, nil
}

// lockCollection keeps others from making items of a singleton, from importing rows whose slugs are derived, and from rearranging
// the collection meanwhile.
func lockCollection(ctx context.Context, tx pgx.Tx, p content.ProjectID, name string) error {
	_, err := tx.Exec(ctx, `SELECT FROM collection WHERE project_id = $1 AND name = $2 FOR NO KEY UPDATE`, p, name)
	if err != nil {
		return fmt.Errorf("locking a collection: %w", err)
	}
	return nil
}
