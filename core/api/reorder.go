package api

import (
	"svc/core/entry"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
)

// reorderEntries changes the editorial order of a collection, live and without a revision.
func reorderEntries(c *call, in wire.Arrangement) (wire.Reordered, error) {
	if (in.Order == nil) == (in.Move == nil) {
		return wire.Reordered{}, fault.Invalid("order", "give either order, the whole arrangement, or move, one step")
	}
	ask := entry.Arrangement{Order: deref(in.Order)}
	if in.Move != nil {
		ask.Move = &entry.Move{Entry: in.Move.Entry, Before: in.Move.Before, After: in.Move.After}
	}
	changed, err := entry.Reorder(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("collection"), ask)
	if err != nil {
		return wire.Reordered{}, err
	}
	moved, unarranged := []content.EntryID{}, []content.EntryID{}
	for _, r := range changed {
		moved = append(moved, r.Entry)
		if r.Rank == "" {
			unarranged = append(unarranged, r.Entry)
		}
	}
	return wire.Reordered{Moved: moved, Unarranged: unarranged}, nil
}
