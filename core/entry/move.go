package entry

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"svc/shared/content"
	"svc/shared/fault"
)

// move places one entry beside its anchor, and gives only that entry a new rank where there is room.
func (s ordering) move(ctx context.Context, tx pgx.Tx, m Move) ([]Ranked, error) {
	anchor := cmp.Or(m.Before, m.After)
	if err := s.require(ctx, tx, "move", m.Entry, anchor); err != nil {
		return nil, err
	}
	before, err := s.arranged(ctx, tx)
	if err != nil {
		return nil, err
	}
	order := slices.DeleteFunc(slices.Clone(before), func(r Ranked) bool { return r.Entry == m.Entry })
	if !slices.ContainsFunc(order, func(r Ranked) bool { return r.Entry == anchor }) {
		if order, err = s.upTo(ctx, tx, order, m.Entry, anchor); err != nil {
			return nil, err
		}
	}
	at := slices.IndexFunc(order, func(r Ranked) bool { return r.Entry == anchor })
	if m.After != "" {
		at++
	}
	if stands(before, order, m.Entry, at) {
		return nil, nil
	}
	placed := Ranked{Entry: m.Entry, Rank: between(rankAt(order, at-1), rankAt(order, at))}
	order = slices.Insert(order, at, placed)
	if len(placed.Rank) > maxRank {
		respread(order)
	}
	return changes(before, order), nil
}

// stands reports whether the entry is arranged exactly there already.
func stands(before, without []Ranked, entry content.EntryID, at int) bool {
	return len(before) == len(without)+1 && before[at].Entry == entry
}

// upTo arranges what readers see after the arranged entries, newest first, as far as the anchor.
func (s ordering) upTo(ctx context.Context, tx pgx.Tx, order []Ranked, moved, anchor content.EntryID) ([]Ranked, error) {
	rest, err := s.query(ctx, tx, `SELECT id, '' FROM entry
		WHERE project_id = $1 AND collection = $2 AND rank IS NULL AND deleted_at IS NULL AND id >= $3 AND id <> $4
		ORDER BY id DESC LIMIT $5`, anchor, moved, maxArranged+1)
	if err != nil {
		return nil, err
	}
	if len(order)+len(rest) > maxArranged {
		return nil, fault.New(fault.Conflict, "more than %d entries stand before %s; arrange the collection with order first", maxArranged, anchor)
	}
	last := rankAt(order, len(order)-1)
	for _, r := range rest {
		if len(rest) <= maxAppended {
			last = between(last, "")
		}
		order = append(order, Ranked{Entry: r.Entry, Rank: last})
	}
	if len(rest) > maxAppended || len(last) > maxRank {
		respread(order)
	}
	return order, nil
}

// maxAppended is how many entries get ranks one after the other; each makes them longer, so that beyond it all are
// spread again.
const maxAppended = 16

func respread(order []Ranked) {
	for i, rank := range spread(len(order)) {
		order[i].Rank = rank
	}
}

// rankAt is the rank at a place, and empty beyond either end.
func rankAt(order []Ranked, at int) string {
	if at < 0 || at >= len(order) {
		return ""
	}
	return order[at].Rank
}
