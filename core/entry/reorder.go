package entry

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/changelog"
	"svc/core/event"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/fault"
)

// maxArranged bounds the entries that one reordering places.
const maxArranged = 10_000

// Arrangement is a change of the editorial order: either Order or Move.
type Arrangement struct {
	// Order lists the entries that are arranged from now on, in their order; all others become unarranged.
	Order []content.EntryID
	Move  *Move
}

// Move places one entry directly before or after another; exactly one of the two is set. An anchor that is not
// arranged yet is arranged first, with everything that stands before it.
type Move struct {
	Entry, Before, After content.EntryID
}

// Ranked is the editorial position of an entry; an empty Rank is none.
type Ranked struct {
	Entry content.EntryID
	Rank  string
}

// Reorder changes the editorial order of a collection at once, without a revision. It returns the positions that
// changed, by entry id.
func Reorder(ctx context.Context, pool *pgxpool.Pool, actor *access.Actor, id content.ProjectID, collection string, in Arrangement) ([]Ranked, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var changed []Ranked
	err := postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Share(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := schemadeploy.Get(ctx, tx, id, collection); err != nil {
			return err
		}
		if err := access.Confine(actor, collection); err != nil {
			return err
		}
		if err := lockCollection(ctx, tx, id, collection); err != nil {
			return err
		}
		s := ordering{project: id, collection: collection}
		if in.Move != nil {
			changed, err = s.move(ctx, tx, *in.Move)
		} else {
			changed, err = s.arrange(ctx, tx, in.Order)
		}
		if err != nil || len(changed) == 0 {
			return err
		}
		return s.store(ctx, tx, actor, p, changed)
	})
	return changed, err
}

func (in Arrangement) check() error {
	switch {
	case (in.Order == nil) == (in.Move == nil):
		return fault.New(fault.ValidationFailed, "give either order or move")
	case in.Move != nil && (in.Move.Before == "") == (in.Move.After == ""):
		return fault.Invalid("move", "needs an entry, and either before or after")
	case in.Move != nil && (in.Move.Entry == in.Move.Before || in.Move.Entry == in.Move.After):
		return fault.Invalid("move", "cannot place an entry beside itself")
	case len(in.Order) > maxArranged:
		return fault.Invalid("order", "must have at most %d entries; it has %d", maxArranged, len(in.Order))
	}
	seen := map[content.EntryID]bool{}
	for i, id := range in.Order {
		if seen[id] {
			return fault.Invalid(fmt.Sprintf("order[%d]", i), "the entry %s is listed twice", id)
		}
		seen[id] = true
	}
	return nil
}

// ordering is a collection whose order is being changed.
type ordering struct {
	project    content.ProjectID
	collection string
}

// arranged returns the entries with a position, in their order.
func (s ordering) arranged(ctx context.Context, tx pgx.Tx) ([]Ranked, error) {
	return s.query(ctx, tx, `SELECT id, rank FROM entry
		WHERE project_id = $1 AND collection = $2 AND rank IS NOT NULL ORDER BY rank, id`)
}

func (s ordering) query(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]Ranked, error) {
	rows, err := tx.Query(ctx, sql, append([]any{s.project, s.collection}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("reading the order of a collection: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Ranked])
	if err != nil {
		return nil, fmt.Errorf("reading the order of a collection: %w", err)
	}
	return out, nil
}

// require refuses entries that the collection does not have.
func (s ordering) require(ctx context.Context, tx pgx.Tx, path string, ids ...content.EntryID) error {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	have, err := s.query(ctx, tx, `SELECT e.id, '' FROM unnest($3::text[]) AS w(id)
		JOIN entry e ON e.id = w.id AND e.project_id = $1 AND e.collection = $2 AND e.deleted_at IS NULL`, texts)
	if err != nil {
		return err
	}
	exists := map[content.EntryID]bool{}
	for _, r := range have {
		exists[r.Entry] = true
	}
	for _, id := range ids {
		if !exists[id] {
			return fault.Invalid(path, "%q is no entry of the collection %s", id, s.collection)
		}
	}
	return nil
}

// arrange makes the order exactly what is listed.
func (s ordering) arrange(ctx context.Context, tx pgx.Tx, order []content.EntryID) ([]Ranked, error) {
	if err := s.require(ctx, tx, "order", order...); err != nil {
		return nil, err
	}
	before, err := s.arranged(ctx, tx)
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(before, order, func(r Ranked, id content.EntryID) bool { return r.Entry == id }) {
		return nil, nil
	}
	after := make([]Ranked, len(order))
	for i, rank := range spread(len(order)) {
		after[i] = Ranked{Entry: order[i], Rank: rank}
	}
	return changes(before, after), nil
}

// changes returns what differs between two orders, by entry id.
func changes(before, after []Ranked) []Ranked {
	had := map[content.EntryID]string{}
	for _, r := range before {
		had[r.Entry] = r.Rank
	}
	var out []Ranked
	for _, r := range after {
		if had[r.Entry] != r.Rank {
			out = append(out, r)
		}
		delete(had, r.Entry)
	}
	for id := range had {
		out = append(out, Ranked{Entry: id})
	}
	slices.SortFunc(out, func(a, b Ranked) int { return cmp.Compare(a.Entry, b.Entry) })
	return out
}

// store writes the changed positions and tells the edges.
func (s ordering) store(ctx context.Context, tx pgx.Tx, actor *access.Actor, p *project.Project, changed []Ranked) error {
	ids, ranks := make([]string, len(changed)), make([]string, len(changed))
	message := &recordpb.Rank{Collection: s.collection}
	for i, r := range changed {
		ids[i], ranks[i] = string(r.Entry), r.Rank
		message.Entries = append(message.Entries, &recordpb.RankedEntry{Entry: string(r.Entry), Rank: r.Rank})
	}
	_, err := tx.Exec(ctx, `
		WITH held AS (SELECT id FROM entry WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE)
		UPDATE entry e SET rank = nullif(n.rank, '') FROM unnest($1::text[], $2::text[]) AS n(id, rank), held
		WHERE e.id = n.id AND held.id = n.id`, ids, ranks)
	if err != nil {
		return fmt.Errorf("storing the order of a collection: %w", err)
	}
	err = event.Audit(ctx, tx, actor, event.Record{
		Organization: p.Organization, Project: p.ID, Action: event.EntryReorder, Subject: s.collection,
		Detail: map[string]int{"entries": len(changed)},
	})
	if err != nil {
		return err
	}
	return changelog.AppendMessage(ctx, tx, string(s.project), record.KindRank, message)
}
