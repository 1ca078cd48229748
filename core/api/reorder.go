package api

import (
	"svc/core/entry"
	"svc/shared/content"
	"svc/shared/fault"
)

type arrangement struct {
	Order *[]content.EntryID `json:"order"`
	Move  *move              `json:"move"`
}

type move struct {
	Entry  content.EntryID `json:"entry"`
	Before content.EntryID `json:"before"`
	After  content.EntryID `json:"after"`
}

type reorderedBody struct {
	Moved      []content.EntryID `json:"movedEntryIds"`
	Unarranged []content.EntryID `json:"unarrangedEntryIds"` // those of them that lost their position
}

// reorderEntries changes the editorial order of a collection, live and without a revision.
func reorderEntries(c *call, in arrangement) (reorderedBody, error) {
	if (in.Order == nil) == (in.Move == nil) {
		return reorderedBody{}, fault.Invalid("order", "give either order, the whole arrangement, or move, one step")
	}
	ask := entry.Arrangement{Order: deref(in.Order)}
	if in.Move != nil {
		ask.Move = &entry.Move{Entry: in.Move.Entry, Before: in.Move.Before, After: in.Move.After}
	}
	changed, err := entry.Reorder(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), ask)
	if err != nil {
		return reorderedBody{}, err
	}
	moved, unarranged := []content.EntryID{}, []content.EntryID{}
	for _, r := range changed {
		moved = append(moved, r.Entry)
		if r.Rank == "" {
			unarranged = append(unarranged, r.Entry)
		}
	}
	return reorderedBody{moved, unarranged}, nil
}
